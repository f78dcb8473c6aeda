"""Which operation leads to which: what one has made, others read, change and delete.

The documents say it in words. Here it is said as OpenAPI links, so that schemathesis walks
from one to the next, and sees that what was made is there, and that what was deleted is gone.
"""

from schemathesis.specs.openapi import stateful

BODY_ID = "$response.body#/id"
REPOSITORY = {"owner": "$request.path.owner", "repo": "$request.path.repo"}
COMMENT = {**REPOSITORY, "comment_id": BODY_ID}
SAME_COMMENT = {**REPOSITORY, "comment_id": "$request.path.comment_id"}
THREAD = {**COMMENT, "pull_number": "$request.path.pull_number"}
ISSUE_FIELD = {"org": "$request.path.org", "issue_field_id": BODY_ID}
PROJECT = {"project_number": "$request.path.project_number", "field_id": BODY_ID}
REF = {**REPOSITORY, "ref": "$response.header.Location#regex:/git/refs/(.+)"}
SAME_REF = {**REPOSITORY, "ref": "$request.path.ref"}
GRANT = {"installation_id": "$request.path.installation_id", "repository_id": "$request.path.repository_id"}

LINKS = [
    ("create_issue_field", "200", ["update_issue_field", "delete_issue_field"], ISSUE_FIELD),
    ("update_issue_field", "200", ["delete_issue_field"], ISSUE_FIELD),
    ("add_org_project_field", "201", ["get_org_project_field"], {"org": "$request.path.org", **PROJECT}),
    ("add_user_project_field", "201", ["get_user_project_field"], {"username": "$request.path.username", **PROJECT}),
    ("create_review_comment", "201", ["get_review_comment", "update_review_comment", "delete_review_comment"], COMMENT),
    ("create_review_comment", "201", ["reply_to_review_comment"], THREAD),
    ("reply_to_review_comment", "201", ["get_review_comment", "update_review_comment", "delete_review_comment"], COMMENT),
    ("update_review_comment", "200", ["get_review_comment", "delete_review_comment"], COMMENT),
    ("delete_review_comment", "204", ["get_review_comment", "update_review_comment"], SAME_COMMENT),
    ("create_ref", "201", ["get_ref", "update_ref", "delete_ref"], REF),
    ("update_ref", "200", ["get_ref", "delete_ref"], SAME_REF),
    ("delete_ref", "204", ["get_ref", "update_ref"], SAME_REF),
    ("list_user_installations", "200", ["list_user_installation_repositories"], {"installation_id": "$response.body#/installations/0/id"}),
    ("add_installation_repository", "204", ["remove_installation_repository"], GRANT),
    ("remove_installation_repository", "204", ["add_installation_repository"], GRANT),
    ("list_app_installations", "200", ["get_app_installation", "create_installation_token"], {"installation_id": "$response.body#/0/id"}),
]


def add_links(document):
    """Writes the links of this document's operations into it."""
    known = {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "operationId" in operation
    }
    for source, status, targets, parameters in LINKS:
        if source not in known:
            continue
        answer = known[source]["responses"][status]
        for target in targets:
            if target not in known:
                raise KeyError(f"the link from {source} leads to {target}, which is not in the document")
            answer.setdefault("links", {})[target] = {"operationId": target, "parameters": parameters}


def start_anywhere():
    """Lets a walk begin with every operation that makes something.

    Schemathesis begins only with those whose path names nothing that must be there already,
    and there is hardly one here. Our dictionaries name what is there.
    """
    stateful.is_likely_root_transition = lambda operation, *_: operation.method in ("post", "put") or not operation.path_parameters
