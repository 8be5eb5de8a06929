import { crc32 } from 'node:zlib';
import { writeFileAtomicSync } from './atomicFile.ts';
import { systemCode } from './errors.ts';
import { readRegularFileSync } from './regularFile.ts';

/** One JSON value and, on a line of its own, its checksum, which reveals a half-written or altered file. */
export function checkedJson(value: unknown): string {
  const body = JSON.stringify(value);
  return `${body}\n${checksum(body)}\n`;
}

/** Replaces `file` by {@link checkedJson} of the value, durably. `mode` restricts its readers. */
export function writeCheckedJson(file: string, value: unknown, mode?: number): void {
  writeFileAtomicSync(file, checkedJson(value), mode);
}

/** The value, `undefined` without such a file, or `'damaged'` for a wrong checksum or a read error. */
export function readCheckedJson(file: string): { readonly value: unknown } | 'damaged' | undefined {
  let text: string;
  try {
    text = readRegularFileSync(file).toString();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    if (systemCode(error) === 'EIO') return 'damaged';
    throw error;
  }
  const end = text.lastIndexOf('\n', text.length - 2);
  const body = text.slice(0, Math.max(end, 0));
  return text.slice(end + 1) === `${checksum(body)}\n` ? { value: JSON.parse(body) as unknown } : 'damaged';
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
