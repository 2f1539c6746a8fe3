// Prints what hyparquet sees in the Parquet files of a directory: FILE.hyparquet.json. Its arguments are
// that directory and the one that holds hyparquet.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [dir, modules] = process.argv.slice(2)
const { parquetMetadata, parquetReadObjects } = await import(pathToFileURL(join(modules, 'hyparquet/src/index.js')))

// Numbers as they stand in the file, so that nothing is lost in a Date.
const parsers = {
  timestampFromMicroseconds: x => x,
  dateFromDays: x => x,
}

function text(value, element) {
  if (value === null || value === undefined) return 'NULL'
  if (element.type === 'DOUBLE') return bits(value)
  if (element.type === 'BOOLEAN') return value ? '1' : '0'
  return String(value)
}

function bits(x) {
  if (Number.isNaN(x)) return 'nan'
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  return view.getBigUint64(0).toString(16).padStart(16, '0')
}

// unit tells the types of numbers apart.
function words(element) {
  const t = element.logical_type
  return [element.type, t?.type, t?.unit, t?.isAdjustedToUTC, element.precision, element.scale].filter(x => x !== undefined).join(' ')
}

function footer(s, element) {
  const end = x => x === undefined || x === null ? null : text(x, element)
  return { nulls: s?.null_count === undefined ? null : Number(s.null_count), min: end(s?.min_value), max: end(s?.max_value) }
}

for (const name of readdirSync(dir).filter(f => f.endsWith('.parquet'))) {
  const bytes = readFileSync(join(dir, name))
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const metadata = parquetMetadata(file, { parsers })
  // Without an own decompressor a file of Zstd cannot be read.
  if (metadata.row_groups.some(g => g.columns.some(c => c.meta_data.codec === 'ZSTD'))) continue
  const rows = await parquetReadObjects({ file, metadata, parsers })
  const [root, ...leaves] = metadata.schema
  const columns = leaves.map((element, i) => ({
    name: element.name, type: words(element), optional: element.repetition_type === 'OPTIONAL',
    cells: rows.map(row => text(row[element.name], element)),
    footer: metadata.row_groups.map(g => footer(g.columns[i].meta_data.statistics, element)),
  }))
  const seen = { rows: rows.length, groups: metadata.row_groups.length, root: root.repetition_type, columns }
  writeFileSync(join(dir, name.replace(/parquet$/, 'hyparquet.json')), JSON.stringify(seen))
}
