//! Opening a model that is given beside data, with a sentence where the two are mixed up.

use crate::input::ModelFile;
use protea::Error;
use std::io::Read;
use std::path::Path;

/// Bytes in which a model file names itself: the length of its header, then JSON whose metadata come first.
const HEAD: u64 = 200;

/// Reads a model; `data` is the file that is given beside it.
pub fn open(model: &Path, data: &Path) -> Result<ModelFile, Error> {
    if is_model(data) {
        let problem = match is_model(model) {
            true => "is a model, too; the second argument is a file of rows".to_string(),
            false => {
                format!("is a model, and {} is not; give the model first, then the rows", model.display())
            }
        };
        return Err(Error::file(data, problem));
    }
    let file = ModelFile::read(model)?;
    file.precision().map(|_| file)
}

/// Whether a file begins as a model does.
pub fn is_model(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(HEAD).read_to_end(&mut head));
    read.is_ok() && starts_as_model(&head)
}

/// Whether bytes begin as those of a model.
pub fn starts_as_model(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD as usize)];
    let text = String::from_utf8_lossy(head);
    head.get(8) == Some(&b'{') && text.contains("__metadata__") && text.contains("protea")
}
