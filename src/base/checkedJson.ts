import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeFileAtomicSync } from './atomicFile.ts';
import { systemCode } from './errors.ts';

/** One JSON value and, on a line of its own, its checksum: a half-written or altered file is known as such. `mode`: who may read it. */
export function writeCheckedJson(file: string, value: unknown, mode?: number): void {
  const body = JSON.stringify(value);
  writeFileAtomicSync(file, `${body}\n${checksum(body)}\n`, mode);
}

/** The value, `undefined` where there is no such file, or `'damaged'` where the checksum or the disk says so. */
export function readCheckedJson(file: string): { readonly value: unknown } | 'damaged' | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
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
