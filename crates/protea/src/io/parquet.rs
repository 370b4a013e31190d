//! Parquet: flat columns of any physical type.
//!
//! Booleans, integers, floats, decimals and times of day become numbers, the last in the unit that they are stored in; dates and
//! timestamps are text such as `2026-11-18`; byte arrays are UTF-8 text; nulls are missing values. Nested columns and the outdated INT96
//! timestamps are refused by name. The file's own metadata may name the classes that the label column holds as
//! indices: key `classes`, a JSON list.

use super::format::is_parquet;
use super::limit::Limit;
use super::{Format, Input, WrittenColumns, npy::half};
use crate::data::{Body, Column, Table, TextBuilder, Written, is_rounded, number};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayViewMut1};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows taken from a column at a time.
const BATCH: usize = 1 << 14;

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "Parquet", looks_like: is_parquet, read }
}

fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let Input { source, bytes, limit, options } = input;
    if bytes.len() < 12 || !(bytes.ends_with(b"PAR1") || bytes.ends_with(b"PARE")) {
        return Err(Error::file(source, "is a Parquet file that ends too early; copy or download it again"));
    }
    // The Parquet crate panics on some damaged files, such as one that lacks the dictionary it refers to.
    let table = catch_unwind(AssertUnwindSafe(|| {
        let reader = open(bytes, ByteArray::set_data).map_err(|e| damaged(source, e))?;
        Reader { source, reader: &reader, limit, wanted: &options.written }.table()
    }));
    table.unwrap_or_else(|_| Err(Error::file(source, "is a damaged Parquet file; copy or download it again")))
}

/// Opens a file in memory. Only the `bytes` crate's type can be read from; it is named here by the one function
/// of the Parquet crate that takes it.
fn open<B>(
    bytes: Vec<u8>,
    _takes_it: fn(&mut ByteArray, B),
) -> std::result::Result<SerializedFileReader<B>, ParquetError>
where
    B: ChunkReader + From<Vec<u8>> + 'static,
{
    SerializedFileReader::new(bytes.into())
}

fn damaged(source: &str, e: ParquetError) -> Error {
    let words = e.to_string().replace('\n', " ");
    Error::file(source, format!("is a damaged or unsupported Parquet file ({words})")).because(e)
}

/// A value as the file holds it.
enum Value<'a> {
    Boolean(bool),
    Integer(i128),
    Single(f32),
    Number(f64),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// The number that it is; NaN for bytes of no number.
    fn number(&self, meaning: Meaning) -> f64 {
        let v = match (self, meaning) {
            (Value::Boolean(v), _) => f64::from(*v),
            (Value::Integer(v), _) => *v as f64,
            (Value::Single(v), _) => f64::from(*v),
            (Value::Number(v), _) => *v,
            (Value::Bytes(b), Meaning::Half) => {
                b.first_chunk().map_or(f64::NAN, |b| half(u16::from_le_bytes(*b)))
            }
            (Value::Bytes(b), Meaning::Decimal(_)) => two_complement(b),
            (Value::Bytes(_), _) => f64::NAN,
        };
        if let Meaning::Decimal(scale) = meaning { v / 10f64.powi(scale) } else { v }
    }

    /// The text that it is, or the day of a date.
    fn text(&self, meaning: Meaning) -> std::result::Result<String, String> {
        match (self, meaning) {
            (Value::Integer(v), Meaning::Day(ticks)) => Ok(date((*v as i64).div_euclid(ticks))),
            (Value::Bytes(b), _) => {
                let text = std::str::from_utf8(b).map_err(|_| "the text is not UTF-8".to_string())?;
                Ok(text.trim().to_string())
            }
            _ => Ok(String::new()),
        }
    }

    /// The value with all its digits, and dates with the time of day.
    fn written(&self, meaning: Meaning) -> std::result::Result<Written, String> {
        Ok(match (self, meaning) {
            (Value::Integer(v), Meaning::Day(ticks)) => Written::Text(moment(*v as i64, ticks)),
            (_, Meaning::Text) => Written::Text(self.text(meaning)?),
            (Value::Boolean(v), _) => Written::Boolean(*v),
            (Value::Integer(v), Meaning::Number | Meaning::Unsigned) => Written::Integer(*v),
            // The shortest digits that are this number in 32 bits, not those of its 64-bit neighbour.
            (Value::Single(v), _) => Written::Number(v.to_string().parse().unwrap_or(f64::from(*v))),
            _ => Written::Number(self.number(meaning)),
        })
    }
}

/// Takes a row and its value, and says what is wrong with it.
type PushValue<'a> = &'a mut dyn FnMut(usize, Option<Value>) -> std::result::Result<(), String>;

/// Where the values of one column go.
enum Sink<'a, F> {
    Matrix(ArrayViewMut1<'a, F>),
    Number(Vec<F>),
    Text(TextBuilder),
}

/// How the values of a column are to be understood.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Number,
    Unsigned,
    /// An integer to be divided by ten to this power.
    Decimal(i32),
    Half,
    Text,
    /// Days since 1970, so many ticks each, which become text.
    Day(i64),
}

impl Meaning {
    fn is_text(&self) -> bool {
        matches!(self, Meaning::Text | Meaning::Day(_))
    }
}

struct Reader<'a, R: ChunkReader> {
    source: &'a str,
    reader: &'a SerializedFileReader<R>,
    limit: Limit,
    /// Columns whose values are wanted as the file has them.
    wanted: &'a WrittenColumns,
}

impl<R: ChunkReader + 'static> Reader<'_, R> {
    fn table<F: Float>(&self) -> Result<Table<F>> {
        let source = self.source;
        let meta = self.reader.metadata();
        let schema = meta.file_metadata().schema_descr();
        let columns = schema.num_columns();
        let meanings = schema.columns().iter().map(|c| self.meaning(c)).collect::<Result<Vec<_>>>()?;
        let rows = self.rows(meta)?;
        if rows == 0 || columns == 0 {
            return Err(Error::file(source, "holds no rows"));
        }
        let what = || format!("has {rows} rows of {columns} columns");
        let size =
            if meanings.iter().any(Meaning::is_text) { size_of::<Option<u32>>() } else { size_of::<F>() };
        self.limit.check(source, rows.checked_mul(columns), size, what)?;
        // A column is unpacked page by page, at most as a whole.
        let chunks = meta.row_groups().iter().flat_map(|g| g.columns());
        let unpacked = chunks.map(|c| c.uncompressed_size()).max().unwrap_or(0);
        self.limit.check(source, unpacked.try_into().ok(), 1, || {
            "has a column that unpacks to a huge one".into()
        })?;
        // The first column proves that the file has as many rows as it says before room for all is made.
        let mut rounded = Vec::new();
        let first = self.column::<F>((0, meanings[0]), rows, None, &mut rounded)?;
        let body = if meanings.iter().any(Meaning::is_text) {
            let mut all = vec![first];
            for (j, &meaning) in meanings.iter().enumerate().skip(1) {
                all.push(self.column((j, meaning), rows, None, &mut rounded)?);
            }
            Body::Columns(all)
        } else {
            let mut x = Array2::zeros((rows, columns));
            if let Column::Number(values) = &first {
                x.column_mut(0).iter_mut().zip(values).for_each(|(x, &v)| *x = v);
            }
            for (j, &meaning) in meanings.iter().enumerate().skip(1) {
                self.column((j, meaning), rows, Some(x.column_mut(j)), &mut rounded)?;
            }
            Body::Dense(x)
        };
        let names: Vec<String> = schema.columns().iter().map(|c| c.name().to_string()).collect();
        let mut written = Vec::new();
        for (j, name) in names.iter().enumerate() {
            written.push(self.wanted.has(name).then(|| self.written(j, meanings[j], rows)).transpose()?);
        }
        let index_columns = index_columns(meta, &names);
        let table = Table { named: true, class_names: class_names(meta), ..Table::new(source, body) };
        Ok(Table { names, index_columns, rounded, written, ..table })
    }

    /// The values of column `j` as the file has them.
    fn written(&self, j: usize, meaning: Meaning, rows: usize) -> Result<Vec<Written>> {
        let mut values = Vec::new();
        self.each(j, meaning, rows, &mut |_, value| {
            values.push(value.map_or(Ok(Written::Missing), |v| v.written(meaning))?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Rows of all row groups, after a check of where their columns stand.
    fn rows(&self, meta: &ParquetMetaData) -> Result<usize> {
        let mut chunks = meta.row_groups().iter().flat_map(|g| g.columns());
        let negative = chunks.any(|c| {
            c.compressed_size() < 0
                || c.data_page_offset() < 0
                || c.dictionary_page_offset().is_some_and(|o| o < 0)
        });
        if negative {
            return Err(Error::file(
                self.source,
                "is a damaged Parquet file with a column at a negative offset",
            ));
        }
        let rows =
            meta.row_groups().iter().try_fold(0usize, |n, g| n.checked_add(g.num_rows().try_into().ok()?));
        rows.ok_or_else(|| {
            Error::file(self.source, "is a damaged Parquet file with an impossible number of rows")
        })
    }

    fn meaning(&self, column: &ColumnDescriptor) -> Result<Meaning> {
        let refuse = |what: &str| {
            let problem = format!("column {} {what}", column.path().string());
            Err(Error::file(self.source, problem))
        };
        if column.path().parts().len() > 1 || column.max_rep_level() > 0 || column.max_def_level() > 1 {
            return refuse("is nested, expected one value in each row; store its parts as separate columns");
        }
        let logical = column.logical_type_ref();
        let decimal = matches!(logical, Some(LogicalType::Decimal { .. }))
            || column.converted_type() == ConvertedType::DECIMAL;
        let unsigned = match logical {
            Some(LogicalType::Integer(i)) => !i.is_signed,
            _ => matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64),
        };
        let ticks = match column.converted_type() {
            ConvertedType::DATE => Some(1),
            ConvertedType::TIMESTAMP_MILLIS => Some(86_400_000),
            ConvertedType::TIMESTAMP_MICROS => Some(86_400_000_000),
            // Nanoseconds have no older name.
            _ => matches!(logical, Some(LogicalType::Timestamp(_))).then_some(86_400_000_000_000),
        };
        Ok(match column.physical_type() {
            Type::INT32 | Type::INT64 if ticks.is_some() => Meaning::Day(ticks.unwrap_or(1)),
            Type::INT96 => {
                return refuse("is an INT96 timestamp; store it as a number or as a plain timestamp");
            }
            _ if decimal => Meaning::Decimal(column.type_scale()),
            Type::INT32 | Type::INT64 if unsigned => Meaning::Unsigned,
            Type::FIXED_LEN_BYTE_ARRAY if matches!(logical, Some(LogicalType::Float16)) => Meaning::Half,
            Type::FIXED_LEN_BYTE_ARRAY | Type::BYTE_ARRAY => Meaning::Text,
            _ => Meaning::Number,
        })
    }

    /// Reads column `j` of all row groups, into the matrix if one is given; one that was rounded joins the list.
    fn column<F: Float>(
        &self,
        (j, meaning): (usize, Meaning),
        rows: usize,
        matrix: Option<ArrayViewMut1<F>>,
        rounded: &mut Vec<usize>,
    ) -> Result<Column<F>> {
        let mut sink = match (matrix, meaning) {
            (Some(column), _) => Sink::Matrix(column),
            (None, meaning) if meaning.is_text() => Sink::Text(TextBuilder::default()),
            (None, _) => Sink::Number(Vec::new()),
        };
        let mut rounds = false;
        self.each(j, meaning, rows, &mut |row, value| {
            rounds |= value.as_ref().is_some_and(|v| is_rounded::<F>(v.number(meaning)));
            sink.push(row, value, meaning)
        })?;
        Ok(match sink {
            Sink::Text(text) => text.build(),
            sink => {
                rounded.extend(rounds.then_some(j));
                if let Sink::Number(values) = sink {
                    Column::Number(values)
                } else {
                    Column::Number(Vec::new())
                }
            }
        })
    }

    /// Calls `push` with the row and value of everything in column `j` of all row groups.
    fn each(&self, j: usize, meaning: Meaning, rows: usize, push: PushValue) -> Result<()> {
        let mut row = 0;
        for g in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(g).map_err(|e| damaged(self.source, e))?;
            let pages = group.get_column_page_reader(j).map_err(|e| damaged(self.source, e))?;
            let description = group.metadata().column(j).column_descr_ptr();
            let name = description.name().to_string();
            let column = get_column_reader(description, Box::new(CheckedPages(pages)));
            let mut push = |value: Option<Value>| {
                row += 1;
                let too_many = || Error::file(self.source, "is a damaged Parquet file with too many values");
                if row > rows {
                    return Err(too_many());
                }
                push(row - 1, value).map_err(|p| Error::cell(self.source, row, &name, p))
            };
            self.values(column, meaning, &mut push)?;
        }
        if row != rows {
            let problem =
                format!("is a damaged Parquet file: column {} has {row} values in {rows} rows", j + 1);
            return Err(Error::file(self.source, problem));
        }
        Ok(())
    }

    /// Calls `push` with every value of a column chunk.
    fn values(
        &self,
        column: ColumnReader,
        meaning: Meaning,
        push: &mut dyn FnMut(Option<Value>) -> Result<()>,
    ) -> Result<()> {
        let unsigned = meaning == Meaning::Unsigned;
        match column {
            ColumnReader::BoolColumnReader(r) => self.batches(r, push, |&v| Value::Boolean(v)),
            ColumnReader::Int32ColumnReader(r) => self
                .batches(r, push, |&v| Value::Integer(if unsigned { (v as u32).into() } else { v.into() })),
            ColumnReader::Int64ColumnReader(r) => self
                .batches(r, push, |&v| Value::Integer(if unsigned { (v as u64).into() } else { v.into() })),
            ColumnReader::FloatColumnReader(r) => self.batches(r, push, |&v| Value::Single(v)),
            ColumnReader::DoubleColumnReader(r) => self.batches(r, push, |&v| Value::Number(v)),
            ColumnReader::ByteArrayColumnReader(r) => self.batches(r, push, |v| Value::Bytes(v.data())),
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                self.batches(r, push, |v| Value::Bytes(v.data()))
            }
            ColumnReader::Int96ColumnReader(_) => Err(Error::file(self.source, "holds INT96 timestamps")),
        }
    }

    fn batches<T: DataType>(
        &self,
        mut column: ColumnReaderImpl<T>,
        push: &mut dyn FnMut(Option<Value>) -> Result<()>,
        value: impl Fn(&T::T) -> Value<'_>,
    ) -> Result<()> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let (records, _, _) = column
                .read_records(BATCH, Some(&mut levels), None, &mut values)
                .map_err(|e| damaged(self.source, e))?;
            if records == 0 {
                return Ok(());
            }
            let mut next = values.iter();
            for i in 0..records {
                // Required columns have no definition levels.
                let present = levels.get(i).is_none_or(|&level| level > 0);
                push(if present { next.next().map(&value) } else { None })?;
            }
        }
    }
}

/// Pages of a column, refusing a dictionary of more values than it has bytes before room is made for them.
struct CheckedPages(Box<dyn PageReader>);

impl Iterator for CheckedPages {
    type Item = std::result::Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> std::result::Result<Option<Page>, ParquetError> {
        let page = self.0.get_next_page()?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page
            && *num_values as usize > buf.len()
        {
            let problem = format!("a dictionary of {num_values} values in {} bytes", buf.len());
            return Err(ParquetError::General(problem));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> std::result::Result<Option<PageMetadata>, ParquetError> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> std::result::Result<(), ParquetError> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> std::result::Result<bool, ParquetError> {
        self.0.at_record_boundary()
    }
}

impl<F: Float> Sink<'_, F> {
    fn push(
        &mut self,
        row: usize,
        value: Option<Value>,
        meaning: Meaning,
    ) -> std::result::Result<(), String> {
        if let Sink::Text(text) = self {
            let value = value.map(|v| v.text(meaning)).transpose()?;
            text.push(value.as_deref().filter(|v| !v.is_empty()));
            return Ok(());
        }
        let v = value.map_or(f64::NAN, |v| v.number(meaning));
        let v = number(v)?;
        match self {
            Sink::Matrix(column) => column[row] = v,
            Sink::Number(values) => values.push(v),
            Sink::Text(_) => {}
        }
        Ok(())
    }
}

/// The date so many days after 1 January 1970, as `2026-11-18`.
fn date(days: i64) -> String {
    // Years start in March here, so that the leap day comes last; eras have 400 years.
    let days = days.saturating_add(719_468);
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A point in time, of which a day has so many ticks, as `2026-11-18` or `2026-11-18T10:30:00`; fractions of seconds as stored.
fn moment(ticks: i64, of_day: i64) -> String {
    let (day, rest) = (ticks.div_euclid(of_day), ticks.rem_euclid(of_day));
    if of_day == 1 {
        return date(day);
    }
    let of_second = of_day / 86_400;
    let (seconds, fraction) = (rest / of_second, rest % of_second);
    let digits = of_second.ilog10() as usize;
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:0digits$}") };
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}{fraction}", date(day))
}

/// A big-endian integer of any width.
fn two_complement(bytes: &[u8]) -> f64 {
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let magnitude = bytes.iter().fold(0.0, |v, &b| v * 256.0 + f64::from(if negative { !b } else { b }));
    if negative { -(magnitude + 1.0) } else { magnitude }
}

/// The value of a key in the file's metadata.
fn metadata<'a>(meta: &'a ParquetMetaData, key: &str) -> Option<&'a str> {
    let pairs = meta.file_metadata().key_value_metadata().into_iter().flatten();
    pairs.filter(|kv| kv.key == key).find_map(|kv| kv.value.as_deref())
}

/// The columns that pandas calls an index of the rows.
fn index_columns(meta: &ParquetMetaData, names: &[String]) -> Vec<usize> {
    let json = metadata(meta, "pandas").and_then(|j| serde_json::from_str::<serde_json::Value>(j).ok());
    let listed = json.as_ref().and_then(|j| j["index_columns"].as_array()).into_iter().flatten();
    // An index that only counts is described there, not stored.
    listed.filter_map(|v| v.as_str()).filter_map(|v| names.iter().position(|n| n == v)).collect()
}

/// Names of the classes, where the file's metadata has them.
fn class_names(meta: &ParquetMetaData) -> Vec<String> {
    let list = metadata(meta, "classes")
        .and_then(|j| serde_json::from_str::<Vec<serde_json::Value>>(j).ok())
        .unwrap_or_default();
    list.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{SchemaOptions, learn};
    use crate::io::format::read_as;
    use crate::io::{ReadOptions, read_bytes};
    use parquet::data_type::{BoolType, ByteArrayType, DoubleType, Int32Type, Int64Type};
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    fn write(schema: &str, fill: impl Fn(&mut SerializedFileWriter<&mut Vec<u8>>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        let classes = KeyValue::new("classes".to_string(), "[\"no\", \"yes\"]".to_string());
        let pandas = r#"{"index_columns": [{"kind": "range"}, "obs"]}"#;
        let pandas = KeyValue::new("pandas".to_string(), pandas.to_string());
        let properties =
            WriterProperties::builder().set_key_value_metadata(Some(vec![classes, pandas])).build();
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
        fill(&mut writer);
        writer.close().unwrap();
        bytes
    }

    /// One column of 64-bit integers, and one that is true every other row.
    fn identifiers(ids: &[i64]) -> Vec<u8> {
        let schema = "message m { required int64 id; required boolean ok; required int64 obs; }";
        write(schema, |file| {
            let mut group = file.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(ids, None, None).unwrap();
            column.close().unwrap();
            let ok: Vec<bool> = (0..ids.len()).map(|i| i % 2 == 0).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<BoolType>().write_batch(&ok, None, None).unwrap();
            column.close().unwrap();
            let obs: Vec<i64> = (0..ids.len() as i64).map(|i| 7 * i % 5).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&obs, None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        })
    }

    #[test]
    fn values_are_given_as_written() {
        let ids = [16_777_217, 9_007_199_254_740_993, -3];
        let wanted = WrittenColumns::Named(vec!["id".into(), "ok".into()]);
        let options = ReadOptions { written: wanted, ..Default::default() };
        let t: Table<f32> = read_bytes("x.parquet", identifiers(&ids), &options).unwrap();
        assert_eq!(t.written[0], Some(ids.map(|v| Written::Integer(v.into())).to_vec()));
        assert_eq!(t.written[1], Some([true, false, true].map(Written::Boolean).to_vec()));
        assert_eq!((&t.written[2], &t.rounded, &t.index_columns), (&None, &vec![0], &vec![2]));
        assert_eq!(
            moment(20_775 * 86_400_000_000 + 37_800_250_000, 86_400_000_000),
            "2026-11-18T10:30:00.250000"
        );
        assert_eq!(
            (moment(20_775, 1), moment(-1, 86_400_000)),
            ("2026-11-18".into(), "1969-12-31T23:59:59.999".into())
        );
    }

    #[test]
    fn an_index_of_the_rows_is_no_feature() {
        let ids: Vec<i64> = (0..40).map(|i| 100 + i * 7 % 11).collect();
        let t: Table<f32> = read_bytes("x.parquet", identifiers(&ids), &ReadOptions::default()).unwrap();
        let options = SchemaOptions::default();
        let learned = learn(t, &options).unwrap();
        assert_eq!(
            (learned.findings.label.column.as_deref(), learned.data.features.join(" ")),
            (Some("ok"), "id".into())
        );
        assert_eq!(learned.findings.dropped().collect::<Vec<_>>(), [("obs", "row numbers")]);
    }

    /// A reader of one dictionary that claims to have more values than bytes.
    struct Forged(Option<Page>);

    impl Iterator for Forged {
        type Item = std::result::Result<Page, ParquetError>;

        fn next(&mut self) -> Option<Self::Item> {
            self.0.take().map(Ok)
        }
    }

    impl PageReader for Forged {
        fn get_next_page(&mut self) -> std::result::Result<Option<Page>, ParquetError> {
            self.next().transpose()
        }

        fn peek_next_page(&mut self) -> std::result::Result<Option<PageMetadata>, ParquetError> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> std::result::Result<(), ParquetError> {
            Ok(())
        }
    }

    #[test]
    fn dictionaries_have_no_more_values_than_bytes() {
        let pages = |num_values: u32| {
            let (buf, encoding) = (vec![0; 12].into(), parquet::basic::Encoding::PLAIN);
            let page = Page::DictionaryPage { buf, num_values, encoding, is_sorted: false };
            CheckedPages(Box::new(Forged(Some(page)))).next().unwrap()
        };
        assert!(pages(3).is_ok());
        let e = pages(1 << 30).err().unwrap().to_string();
        assert!(e.contains("a dictionary of 1073741824 values in 12 bytes"), "{e}");
    }

    #[test]
    fn dates_are_text() {
        let found = [0, 20_775, -1, 11_016, 19_782].map(date);
        assert_eq!(found, ["1970-01-01", "2026-11-18", "1969-12-31", "2000-02-29", "2024-02-29"]);
        let bytes = write("message m { required int32 d (DATE); required int32 v; }", |w| {
            let mut g = w.next_row_group().unwrap();
            for values in [[20_775, 0], [7, 8]] {
                let mut c = g.next_column().unwrap().unwrap();
                c.typed::<Int32Type>().write_batch(&values, None, None).unwrap();
                c.close().unwrap();
            }
            g.close().unwrap();
        });
        let Body::Columns(c) = read_as::<f32>(format(), "x", bytes).unwrap().body else {
            panic!("no columns")
        };
        let levels = vec!["2026-11-18".to_string(), "1970-01-01".to_string()];
        assert_eq!(c[0], Column::Text { levels, codes: vec![Some(0), Some(1)] });
    }

    #[test]
    fn types_nulls_and_class_names() {
        let schema =
            "message m { required int32 u (INTEGER(32,false)); optional double d; required binary t (UTF8);
            required int32 dec (DECIMAL(5,2)); }";
        let bytes = write(schema, |w| {
            // Two row groups of two rows and one.
            for (u, d, levels, t, dec) in [
                (vec![-1, 2], vec![0.5], vec![1i16, 0], vec!["a", "b"], vec![150, -225]),
                (vec![3], vec![1.5], vec![1], vec!["a"], vec![0]),
            ] {
                let mut g = w.next_row_group().unwrap();
                let mut c = g.next_column().unwrap().unwrap();
                c.typed::<Int32Type>().write_batch(&u, None, None).unwrap();
                c.close().unwrap();
                let mut c = g.next_column().unwrap().unwrap();
                c.typed::<DoubleType>().write_batch(&d, Some(&levels), None).unwrap();
                c.close().unwrap();
                let mut c = g.next_column().unwrap().unwrap();
                let t: Vec<ByteArray> = t.into_iter().map(ByteArray::from).collect();
                c.typed::<ByteArrayType>().write_batch(&t, None, None).unwrap();
                c.close().unwrap();
                let mut c = g.next_column().unwrap().unwrap();
                c.typed::<Int32Type>().write_batch(&dec, None, None).unwrap();
                c.close().unwrap();
                g.close().unwrap();
            }
        });
        let t = read_as::<f64>(format(), "x", bytes).unwrap();
        assert_eq!((t.names.join(" "), t.class_names.join(" ")), ("u d t dec".into(), "no yes".into()));
        let Body::Columns(c) = &t.body else { panic!("no columns") };
        assert_eq!(c[0], Column::Number(vec![4_294_967_295.0, 2.0, 3.0]));
        let Column::Number(d) = &c[1] else { panic!("no numbers") };
        assert!(d[0] == 0.5 && d[1].is_nan() && d[2] == 1.5);
        let levels = vec!["a".to_string(), "b".to_string()];
        assert_eq!(c[2], Column::Text { levels, codes: vec![Some(0), Some(1), Some(0)] });
        assert_eq!(c[3], Column::Number(vec![1.5, -2.25, 0.0]));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let e =
            |schema| read_as::<f32>(format(), "x.parquet", write(schema, |_| {})).unwrap_err().to_string();
        assert!(e("message m { repeated int32 a; }").starts_with("x.parquet: column a is nested"));
        assert!(e("message m { required int96 t; }").starts_with("x.parquet: column t is an INT96"));
        assert_eq!(e("message m { required int32 a; }"), "x.parquet: holds no rows");
        let cut = read_as::<f32>(format(), "x.parquet", b"PAR1 and more").unwrap_err().to_string();
        assert!(cut.contains("ends too early"));
        assert_eq!((two_complement(&[0xff, 0x38]), two_complement(&[1, 0])), (-200.0, 256.0));
    }
}
