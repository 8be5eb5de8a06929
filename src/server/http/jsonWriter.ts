const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
/** Of one character of UTF-16 in UTF-8. */
const CHARACTER_BYTES = 3;
const NUMBER_BYTES = 32;
/** Room for the largest usual answer. */
const BYTES = 0x1_0000;
const MAX_FREE = 64;
const SMALL = 0x2000;

export const [COMMA, END_OF_OBJECT, END_OF_LIST] = [0x2c, 0x7d, 0x5d] as const;
const [COLON, START_OF_OBJECT] = [0x3a, 0x7b] as const;
type Punctuation = typeof COMMA | typeof END_OF_OBJECT | typeof END_OF_LIST | typeof COLON | typeof START_OF_OBJECT;

export interface JsonObject {
  readonly [name: string]: string | number | boolean | JsonObject;
}

/** A piece of JSON that is written again and again, such as `,"date":`; what is not ASCII in it is escaped. */
export function piece(json: string): Uint8Array {
  const escaped = json.replaceAll(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Uint8Array.from(Buffer.from(escaped));
}

/** The members of objects that have the same names and nothing but numbers. */
export class NumberMembers {
  /** What stands before each number. */
  readonly starts: readonly Uint8Array[];
  /** Those from one to another where all are 0, as many are. */
  readonly zeros: readonly (readonly Uint8Array[])[];
  /** Number that is enough for an object. */
  readonly bytes: number;

  constructor(names: readonly string[]) {
    const starts = names.map((name, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    this.starts = starts.map(piece);
    this.zeros = starts.map((_, from) => starts.map((__, to) => piece(`${starts.slice(from, to + 1).join('0')}0`)));
    this.bytes = starts.join('').length + starts.length * NUMBER_BYTES;
  }
}

/** JSON that is written, to be sent once. */
export class WrittenJson {
  readonly body: string | Buffer;
  /** Length in UTF-8 bytes. */
  readonly bytes: number;
  /** To be called when it is sent and no longer needed, where it is to be called at all. */
  readonly done: (() => void) | undefined;

  constructor(body: string | Buffer, bytes = Buffer.byteLength(body), done?: () => void) {
    this.body = body;
    this.bytes = bytes;
    this.done = done;
  }
}

/**
 * Writes JSON piece by piece into memory that is used again once it is sent: where an answer has hundreds of records of a few
 * shapes, that takes half as long as to make objects and have them written.
 */
export class JsonWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(BYTES);
  readonly #free: Buffer[] = [];
  #length = 0;
  #isAscii = true;

  /** A new text, whatever was written before. */
  begin(bytes: Uint8Array): this {
    this.#length = 0;
    this.#isAscii = true;
    return this.piece(bytes);
  }

  piece(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** One of `,`, `:`, `{`, `}` and `]`: much quicker than a piece of one byte. */
  mark(mark: Punctuation): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = mark;
    return this;
  }

  number(value: number): this {
    this.#reserve(NUMBER_BYTES);
    this.#length = writeNumber(this.#bytes, this.#length, value);
    return this;
  }

  /** An object with a number for each of the names. */
  members({ starts, zeros, bytes: most }: NumberMembers, values: readonly number[]): this {
    this.#reserve(most);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < starts.length; i++) {
      const from = i;
      if (values[i] === 0) while (i + 1 < starts.length && values[i + 1] === 0) i++;
      const piece = values[i] === 0 ? zeros[from]![i]! : starts[i]!;
      bytes.set(piece, at);
      at += piece.length;
      if (values[i] !== 0) at = writeNumber(bytes, at, values[i]!);
    }
    bytes[at] = END_OF_OBJECT;
    this.#length = at + 1;
    return this;
  }

  string(text: string): this {
    this.#reserve(text.length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < SPACE || code > 0x7e || code === QUOTE || code === BACKSLASH) return this.#json(JSON.stringify(text));
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
    return this;
  }

  /** The members of an object after those that are written already, and its end. */
  rest(members: JsonObject): this {
    for (const name in members) this.mark(COMMA).string(name).mark(COLON).#value(members[name]!);
    return this.mark(END_OF_OBJECT);
  }

  #value(value: string | number | boolean | JsonObject): this {
    if (typeof value === 'string') return this.string(value);
    if (typeof value === 'number') return this.number(value);
    if (typeof value === 'boolean') return this.#json(String(value));
    let isFirst = true;
    for (const name in value) {
      this.mark(isFirst ? START_OF_OBJECT : COMMA);
      this.string(name).mark(COLON).#value(value[name]!);
      isFirst = false;
    }
    return isFirst ? this.#json('{}') : this.mark(END_OF_OBJECT);
  }

  /** What was written since {@link begin}. */
  take(): WrittenJson {
    const [bytes, length] = [this.#bytes, this.#length];
    // A text goes out together with the head, which is faster for little; of much, each copy counts.
    if (length <= SMALL) return new WrittenJson(bytes.toString(this.#isAscii ? 'latin1' : 'utf8', 0, length), length);
    this.#bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(BYTES);
    return new WrittenJson(bytes.subarray(0, length), length, () => {
      if (bytes.length === BYTES && this.#free.length < MAX_FREE) this.#free.push(bytes);
    });
  }

  #json(json: string): this {
    this.#reserve(json.length * CHARACTER_BYTES);
    const written = this.#bytes.write(json, this.#length);
    this.#isAscii &&= written === json.length;
    this.#length += written;
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Gives where it ends. Quick for whole numbers of up to 31 bits. */
function writeNumber(bytes: Buffer, at: number, value: number): number {
  if ((value | 0) !== value || value < 0) return at + bytes.write(JSON.stringify(value), at, 'latin1');
  const end = at + digitsOf(value);
  let rest = value;
  for (let i = end - 1; i > at; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  bytes[at] = ZERO + rest;
  return end;
}

function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  let digits = 5;
  for (let limit = 100_000; value >= limit; limit *= 10) digits++;
  return digits;
}
