//! Files, directories, symbolic links and submodules.

use contract_macros::schema;
use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{Example, Type};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Url};

/// The type of the content at a path.
#[schema(rename_all = "lowercase")]
pub enum ContentType {
    Dir,
    File,
    Submodule,
    Symlink,
}

/// The properties that all types of content share.
#[schema]
pub struct ContentCore {
    #[schema(rename = "type")]
    pub kind: ContentType,
    /// The size of a file or a symbolic link, in bytes. Zero for others.
    pub size: i64,
    /// The name of the content: the last segment of the path.
    pub name: String,
    /// The path from the root of the repository.
    pub path: String,
    /// The SHA-1 of the blob, the tree or the submodule's commit.
    pub sha: String,
    /// The API URL of the content.
    pub url: Url,
    /// The API URL of the blob or the tree. `null` for a submodule.
    pub git_url: Nullable<Url>,
    /// The URL of the content's page. `null` for a submodule.
    pub html_url: Nullable<Url>,
    /// The URL of the raw content. `null` for a directory or a submodule.
    pub download_url: Nullable<Url>,
    #[schema(rename = "_links")]
    pub links: ContentLinks,
}

/// The URLs of the content.
#[schema]
pub struct ContentLinks {
    /// The same as `url`.
    #[schema(rename = "self")]
    pub itself: Url,
    /// The same as `git_url`.
    pub git: Nullable<Url>,
    /// The same as `html_url`.
    pub html: Nullable<Url>,
}

/// An entry of a directory.
#[schema(example)]
pub struct ContentItem {
    #[schema(flatten)]
    pub core: ContentCore,
}

/// A file with its content.
#[schema(example)]
pub struct ContentFile {
    #[schema(flatten)]
    pub core: ContentCore,
    /// The content in Base64, in lines of 60 characters. Empty if the file is larger than 1 MB.
    pub content: String,
    /// The encoding of the content: `base64`, or `none` if the file is larger than 1 MB.
    pub encoding: String,
}

/// A symbolic link.
#[schema(example)]
pub struct ContentSymlink {
    #[schema(flatten)]
    pub core: ContentCore,
    /// The target of the symbolic link.
    pub target: String,
}

/// A submodule.
#[schema(example)]
pub struct ContentSubmodule {
    #[schema(flatten)]
    pub core: ContentCore,
    /// The URL of the submodule's repository in `.gitmodules`. `null` if it has none.
    pub submodule_git_url: Nullable<String>,
}

/// A directory as an object.
#[schema(example)]
pub struct ContentTree {
    #[schema(flatten)]
    pub core: ContentCore,
    /// The entries of the directory, at most 1,000.
    pub entries: Vec<ContentItem>,
}

/// The content at a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathContents {
    Directory(Vec<ContentItem>),
    Tree(ContentTree),
    File(ContentFile),
    Symlink(ContentSymlink),
    Submodule(ContentSubmodule),
}

/// Implemented manually, because the derived schema allows only objects.
impl Type for PathContents {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "Contents".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            one_of: vec![
                Vec::<ContentItem>::schema_ref(),
                ContentTree::schema_ref(),
                ContentFile::schema_ref(),
                ContentSymlink::schema_ref(),
                ContentSubmodule::schema_ref(),
            ],
            ..MetaSchema::ANY
        }))
    }

    fn register(registry: &mut Registry) {
        ContentItem::register(registry);
        ContentTree::register(registry);
        ContentFile::register(registry);
        ContentSymlink::register(registry);
        ContentSubmodule::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl Example for ContentFile {
    fn example() -> Self {
        const SHA: &str = "f5363091cd9e91b22acb190011a4e3b71bd8dce9";
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        let url: Url = format!("{repo}/contents/README.md?ref=main").into();
        let git: Nullable<Url> = Some(format!("{repo}/git/blobs/{SHA}").into()).into();
        let page = format!("{EXAMPLE_ORIGIN}/acme/gadgets/blob/main/README.md");
        let html: Nullable<Url> = Some(page.into()).into();
        let raw = format!("{EXAMPLE_ORIGIN}/acme/gadgets/raw/main/README.md");
        Self {
            core: ContentCore {
                kind: ContentType::File,
                size: 72,
                name: "README.md".to_owned(),
                path: "README.md".to_owned(),
                sha: SHA.to_owned(),
                links: ContentLinks {
                    itself: url.clone(),
                    git: git.clone(),
                    html: html.clone(),
                },
                url,
                git_url: git,
                html_url: html,
                download_url: Some(raw.into()).into(),
            },
            content: "IyBHYWRnZXRzCg==\n".to_owned(),
            encoding: "base64".to_owned(),
        }
    }
}

/// The example of a file with another type.
fn example(kind: ContentType) -> ContentCore {
    ContentCore {
        kind,
        ..ContentFile::example().core
    }
}

impl Example for ContentItem {
    fn example() -> Self {
        Self {
            core: example(ContentType::File),
        }
    }
}

impl Example for ContentTree {
    fn example() -> Self {
        Self {
            core: example(ContentType::Dir),
            entries: vec![ContentItem::example()],
        }
    }
}

impl Example for ContentSymlink {
    fn example() -> Self {
        Self {
            core: example(ContentType::Symlink),
            target: "../elsewhere".to_owned(),
        }
    }
}

impl Example for ContentSubmodule {
    fn example() -> Self {
        Self {
            core: example(ContentType::Submodule),
            submodule_git_url: Some("https://example.org/lib.git".to_owned()).into(),
        }
    }
}
