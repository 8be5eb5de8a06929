const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
/** Of one character of UTF-16 in UTF-8. */
const CHARACTER_BYTES = 3;
const NUMBER_BYTES = 32;
/** Bytes of a word of a piece, and of one of four digits. */
const WORD = 8;
const DIGITS = 4;
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

/**
 * Bytes in words of {@link WORD}: a few words are stored one by one before a copy of bytes has begun. As numbers they keep their bits,
 * since no text in ASCII is one of those that are no numbers.
 */
export interface Piece {
  readonly words: Float64Array;
  /** Number of bytes; the last word may have others behind them, which what follows replaces. */
  readonly length: number;
}

/** A piece of JSON that is written again and again, such as `,"date":`; what is not ASCII in it is escaped. */
export function piece(json: string): Piece {
  const escaped = json.replaceAll(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const bytes = Buffer.alloc(Math.ceil(escaped.length / WORD) * WORD);
  bytes.write(escaped, 'latin1');
  const words = Float64Array.from({ length: bytes.length / WORD }, (_, i) => bytes.readDoubleLE(i * WORD));
  return { words, length: escaped.length };
}

/** All numbers of four digits, as bytes in their order. */
const FOUR_DIGITS = Uint32Array.from({ length: 10_000 }, (_, n) => {
  const digit = (place: number): number => ZERO + (Math.floor(n / place) % 10);
  return (digit(1) << 24) | (digit(10) << 16) | (digit(100) << 8) | digit(1000);
});

/** The members of objects that have the same names and nothing but numbers. */
export class NumberMembers {
  readonly count: number;
  /** What stands before each number: {@link stride} words for each, and how many bytes of them count. */
  readonly words: Float64Array;
  readonly lengths: Int32Array;
  readonly stride: number;
  /** Number that is enough for an object. */
  readonly bytes: number;

  constructor(names: readonly string[]) {
    const starts = names.map((name, i) => piece(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    this.count = starts.length;
    this.stride = Math.max(...starts.map(({ words }) => words.length));
    this.words = new Float64Array(this.count * this.stride);
    starts.forEach(({ words }, i) => this.words.set(words, i * this.stride));
    this.lengths = Int32Array.from(starts, ({ length }) => length);
    this.bytes = starts.reduce((sum, { length }) => sum + length + NUMBER_BYTES, this.stride * WORD);
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
  #view = new DataView(this.#bytes.buffer);
  readonly #free: Buffer[] = [];
  #length = 0;
  #isAscii = true;

  /** A new text, whatever was written before. */
  begin(piece: Piece): this {
    this.#length = 0;
    this.#isAscii = true;
    return this.piece(piece);
  }

  piece(piece: Piece): this {
    this.#reserve(piece.length + WORD);
    this.#length = writePiece(this.#view, this.#length, piece);
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
    this.#length = this.#writeNumber(this.#length, value);
    return this;
  }

  /** An object with a number for each of the names. */
  members({ count, words, lengths, stride, bytes: most }: NumberMembers, values: readonly number[]): this {
    this.#reserve(most);
    const view = this.#view;
    let at = this.#length;
    for (let i = 0; i < count; i++) {
      const length = lengths[i]!;
      // Whole words, of which the next member replaces what is too much.
      for (let from = i * stride, to = 0; to < length; to += WORD) view.setFloat64(at + to, words[from++]!, true);
      at = this.#writeNumber(at + length, values[i]!);
    }
    this.#bytes[at] = END_OF_OBJECT;
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
    this.#use(this.#free.pop() ?? Buffer.allocUnsafeSlow(BYTES));
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
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  /** Returns the end. Quick for whole numbers of up to 31 bits. */
  #writeNumber(at: number, value: number): number {
    if ((value | 0) === value && value >= 0) return writeWhole(this.#view, at, value);
    return at + this.#bytes.write(JSON.stringify(value), at, 'latin1');
  }
}

/** Returns the end. */
function writePiece(view: DataView, at: number, { words, length }: Piece): number {
  for (let i = 0; i < words.length; i++) view.setFloat64(at + i * WORD, words[i]!, true);
  return at + length;
}

/** Returns the end. */
function writeWhole(view: DataView, at: number, value: number): number {
  if (value >= 10_000) {
    const tenThousands = (value / 10_000) | 0;
    const end = writeWhole(view, at, tenThousands);
    view.setUint32(end, FOUR_DIGITS[value - tenThousands * 10_000]!, true);
    return end + DIGITS;
  }
  const digits = value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  view.setUint32(at, FOUR_DIGITS[value]! >>> ((DIGITS - digits) * 8), true);
  return at + digits;
}
