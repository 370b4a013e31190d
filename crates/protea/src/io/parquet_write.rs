//! Writing tables as Parquet files, some rows at a time.

use crate::{Error, Result};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows of one row group: what is held in memory.
const GROUP: usize = 1 << 16;

/// What a column holds; every column may have missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParquetType {
    /// Text (UTF-8).
    Text,
    /// 64-bit floating-point numbers.
    Number,
    /// 64-bit integers.
    Integer,
    /// True or false.
    Boolean,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Missing,
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// An integer.
    Integer(i64),
    /// True or false.
    Boolean(bool),
}

/// Values of one column that wait for their row group, and whether each row has one.
enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<f64>),
    Integer(Vec<i64>),
    Boolean(Vec<bool>),
}

/// Writes a Parquet file of named columns.
///
/// ```
/// use protea::io::{Cell, ParquetType, ParquetWriter};
/// let columns = [("name".to_string(), ParquetType::Text), ("size".to_string(), ParquetType::Number)];
/// let mut file = Vec::new();
/// let mut writer = ParquetWriter::new(&mut file, &columns)?;
/// writer.row(vec![Cell::Text("a".into()), Cell::Missing])?;
/// writer.finish()?;
/// assert_eq!(&file[..4], b"PAR1");
/// # Ok::<(), protea::Error>(())
/// ```
pub struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    names: Vec<String>,
    columns: Vec<(Values, Vec<i16>)>,
    rows: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins the file.
    pub fn new(out: W, columns: &[(String, ParquetType)]) -> Result<Self> {
        let field = |(name, of): &(String, ParquetType)| {
            let (physical, logical) = match of {
                ParquetType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                ParquetType::Number => (Physical::DOUBLE, None),
                ParquetType::Integer => (Physical::INT64, None),
                ParquetType::Boolean => (Physical::BOOLEAN, None),
            };
            let field = Type::primitive_type_builder(name, physical);
            field.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
        };
        let fields = columns.iter().map(field).collect::<std::result::Result<_, _>>().map_err(encode)?;
        let schema = Type::group_type_builder("rows").with_fields(fields).build().map_err(encode)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(encode)?;
        let empty = |of: &ParquetType| match of {
            ParquetType::Text => Values::Text(Vec::new()),
            ParquetType::Number => Values::Number(Vec::new()),
            ParquetType::Integer => Values::Integer(Vec::new()),
            ParquetType::Boolean => Values::Boolean(Vec::new()),
        };
        Ok(ParquetWriter {
            file,
            names: columns.iter().map(|(name, _)| name.clone()).collect(),
            columns: columns.iter().map(|(_, of)| (empty(of), Vec::new())).collect(),
            rows: 0,
        })
    }

    /// One row, a value for each column; refuses one of another type than its column.
    pub fn row(&mut self, cells: Vec<Cell>) -> Result<()> {
        if cells.len() != self.columns.len() {
            return Err(Error::shape("values, one for each column", self.columns.len(), cells.len()));
        }
        for (j, cell) in cells.into_iter().enumerate() {
            let (values, present) = &mut self.columns[j];
            present.push(i16::from(cell != Cell::Missing));
            match (values, cell) {
                (_, Cell::Missing) => {}
                (Values::Text(v), Cell::Text(text)) => v.push(ByteArray::from(text.into_bytes())),
                (Values::Number(v), Cell::Number(number)) => v.push(number),
                (Values::Integer(v), Cell::Integer(number)) => v.push(number),
                (Values::Boolean(v), Cell::Boolean(value)) => v.push(value),
                (_, cell) => {
                    let name = &self.names[j];
                    let problem = format!("column {name:?} holds values of another type than {cell:?}");
                    return Err(Error::unsupported(problem));
                }
            }
        }
        self.rows += 1;
        if self.rows < GROUP { Ok(()) } else { self.group() }
    }

    /// Writes the rows that wait.
    fn group(&mut self) -> Result<()> {
        self.rows = 0;
        let mut group = self.file.next_row_group().map_err(encode)?;
        for (values, present) in &mut self.columns {
            let Some(mut column) = group.next_column().map_err(encode)? else { break };
            let written = match values {
                Values::Text(v) => column.typed::<ByteArrayType>().write_batch(v, Some(present), None),
                Values::Number(v) => column.typed::<DoubleType>().write_batch(v, Some(present), None),
                Values::Integer(v) => column.typed::<Int64Type>().write_batch(v, Some(present), None),
                Values::Boolean(v) => column.typed::<BoolType>().write_batch(v, Some(present), None),
            };
            written.map_err(encode)?;
            column.close().map_err(encode)?;
            match values {
                Values::Text(v) => v.clear(),
                Values::Number(v) => v.clear(),
                Values::Integer(v) => v.clear(),
                Values::Boolean(v) => v.clear(),
            }
            present.clear();
        }
        group.close().map_err(encode)?;
        Ok(())
    }

    /// Writes what is left, ends the file, and gives back what it was written to.
    pub fn finish(mut self) -> Result<W> {
        if self.rows > 0 {
            self.group()?;
        }
        self.file.into_inner().map_err(encode)
    }
}

fn encode(cause: parquet::errors::ParquetError) -> Error {
    Error::Encode { source: Box::new(cause) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Body, Column, Table};
    use crate::io::{ReadOptions, read_bytes};

    #[test]
    fn what_is_written_is_read_back() {
        let columns =
            [("name", ParquetType::Text), ("size", ParquetType::Number), ("count", ParquetType::Integer)];
        let columns = columns.map(|(name, of)| (name.to_string(), of));
        let mut file = Vec::new();
        let mut writer = ParquetWriter::new(&mut file, &columns).unwrap();
        // More than one row group.
        let n = GROUP + 10;
        for i in 0..n {
            let size = if i % 3 == 0 { Cell::Missing } else { Cell::Number(i as f64 / 2.0) };
            writer.row(vec![Cell::Text(format!("é{}", i % 5)), size, Cell::Integer(i as i64)]).unwrap();
        }
        assert!(writer.row(vec![Cell::Missing]).is_err());
        writer.finish().unwrap();
        let table: Table<f64> = read_bytes("x", file, &ReadOptions::default()).unwrap();
        assert_eq!((table.names.join(","), table.rows()), ("name,size,count".into(), n));
        let Body::Columns(read) = table.body else { panic!("no text") };
        let (Column::Text { levels, .. }, Column::Number(size), Column::Number(count)) =
            (&read[0], &read[1], &read[2])
        else {
            panic!("other types")
        };
        assert_eq!((levels.len(), &levels[1][..]), (5, "é1"));
        assert!(size[0].is_nan() && size[GROUP + 1] == (GROUP + 1) as f64 / 2.0);
        assert_eq!(count[n - 1], (n - 1) as f64);
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let mut writer = ParquetWriter::new(Vec::new(), &[("x".into(), ParquetType::Number)]).unwrap();
        assert!(writer.row(vec![Cell::Text("word".into())]).unwrap_err().to_string().contains("\"x\""));
    }
}
