//! References and the commit graph. What a commit's row says follows from its
//! parents' rows, so each is compared with those alone, however long the history is.

use super::Invariant;

pub const INVARIANTS: [Invariant; 13] = [
    Invariant::new(
        "references-name-objects",
        "Each reference names a stored object, and knows its kind",
        "SELECT git_ref.id AS id FROM git_ref
         LEFT JOIN git_object ON git_object.repository_id = git_ref.repository_id
            AND git_object.sha = git_ref.sha
         WHERE git_object.sha IS NULL OR git_object.kind <> git_ref.kind",
    ),
    Invariant::new(
        "branches-name-commits",
        "Each branch names a commit of the graph",
        "SELECT git_ref.id AS id FROM git_ref
         LEFT JOIN git_commit ON git_commit.repository_id = git_ref.repository_id
            AND git_commit.sha = git_ref.sha
         WHERE git_ref.name >= 'refs/heads/' AND git_ref.name < 'refs/heads0'
            AND git_commit.id IS NULL",
    ),
    Invariant::new(
        "references-do-not-nest",
        "No reference is named like a folder of others",
        "SELECT outer_ref.id AS id FROM git_ref AS outer_ref WHERE EXISTS
            (SELECT 1 FROM git_ref AS inner_ref
             WHERE inner_ref.repository_id = outer_ref.repository_id
                AND inner_ref.name >= outer_ref.name || '/'
                AND inner_ref.name < outer_ref.name || '0')",
    ),
    Invariant::new(
        "commits-are-nodes",
        "Each commit object is a node of the graph",
        "SELECT git_object.repository_id || '/' || git_object.sha AS id FROM git_object
         WHERE git_object.kind = 'commit' AND NOT EXISTS
            (SELECT 1 FROM git_commit WHERE git_commit.repository_id = git_object.repository_id
                AND git_commit.sha = git_object.sha)",
    ),
    Invariant::new(
        "nodes-are-commits",
        "Each node of the graph is a stored commit object",
        "SELECT git_commit.id AS id FROM git_commit
         LEFT JOIN git_object ON git_object.repository_id = git_commit.repository_id
            AND git_object.sha = git_commit.sha
         WHERE COALESCE(git_object.kind, '') <> 'commit'",
    ),
    Invariant::new(
        "commits-have-trees",
        "The tree of each commit is stored, unless it is the empty one",
        "SELECT git_commit.id AS id FROM git_commit
         LEFT JOIN git_object ON git_object.repository_id = git_commit.repository_id
            AND git_object.sha = git_commit.tree_sha
         WHERE COALESCE(git_object.kind, '') <> 'tree'
            AND git_commit.tree_sha <> '4b825dc642cb6eb9a060e54bf8d69288fbee4904'",
    ),
    Invariant::new(
        "parents-in-order",
        "The parents of a commit are numbered from 0 without a gap",
        "SELECT git_commit_parent.commit_id AS id FROM git_commit_parent
         GROUP BY git_commit_parent.commit_id
         HAVING MIN(ordinal) <> 0 OR MAX(ordinal) <> COUNT(*) - 1",
    ),
    Invariant::new(
        "parents-in-the-same-repository",
        "A commit and its parents are in one repository",
        "SELECT DISTINCT child.id AS id FROM git_commit_parent AS edge
         JOIN git_commit AS child ON child.id = edge.commit_id
         JOIN git_commit AS parent ON parent.id = edge.parent_id
         WHERE child.repository_id <> parent.repository_id",
    ),
    Invariant::new(
        "roots-are-first",
        "A commit without parents has generation 1, begins a chain and reaches nothing",
        "SELECT git_commit.id AS id FROM git_commit
         WHERE (git_commit.generation <> 1 OR git_commit.position <> 0
                OR git_commit.reach IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM git_commit_parent
                WHERE git_commit_parent.commit_id = git_commit.id)",
    ),
    Invariant::new(
        "generations",
        "The generation of a commit is one more than the greatest of its parents'",
        "SELECT child.id AS id FROM git_commit AS child
         JOIN git_commit_parent AS edge ON edge.commit_id = child.id
         JOIN git_commit AS parent ON parent.id = edge.parent_id
         GROUP BY child.id, child.generation
         HAVING child.generation <> MAX(parent.generation) + 1",
    ),
    Invariant::new(
        "chains-are-lines",
        "A commit that is not the first of its chain stands on a parent that is next below",
        "SELECT child.id AS id FROM git_commit AS child
         WHERE child.position > 0 AND NOT EXISTS
            (SELECT 1 FROM git_commit_parent AS edge
             JOIN git_commit AS parent ON parent.id = edge.parent_id
             WHERE edge.commit_id = child.id AND parent.chain = child.chain
                AND parent.position = child.position - 1)",
    ),
    Invariant::new(
        "chains-are-numbered",
        "The chains of a repository are numbered from 0 without a gap",
        "SELECT git_commit.repository_id AS id FROM git_commit
         GROUP BY git_commit.repository_id
         HAVING MIN(chain) <> 0 OR MAX(chain) <> COUNT(DISTINCT chain) - 1",
    ),
    Invariant::new(
        "reaches-are-written",
        "What a commit reaches is written with a commit of its repository",
        "SELECT git_commit.id AS id FROM git_commit
         WHERE git_commit.reach IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM git_reach
             JOIN git_commit AS writer ON writer.id = git_reach.commit_id
             WHERE git_reach.commit_id = git_commit.reach >> 20
                AND writer.repository_id = git_commit.repository_id)",
    ),
];
