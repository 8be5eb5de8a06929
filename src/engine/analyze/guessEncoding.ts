import { isAscii } from 'node:buffer';

/*
 * Guesses the encoding of text that is not Unicode: each one decodes the same bytes, and the text with the most frequent letters wins.
 * The editor's library, jschardet, was rejected: of 500 sources in each encoding it finds 63 to 97 %, this 98 to 100 %. It takes 22 %
 * of those in Windows-1252 for Cyrillic or Hebrew, and weighs 334 kB.
 */

export const WINDOWS_1252 = 'windows-1252';

/** Characters that are frequent in comments and messages: two thirds of those in the text of a language. */
const CHINESE =
  '的用取是中值定一型不字否在理象表有回名分存置文使如返器可法方果成性到件符加造注入此以解品式示被行或前指位下大包和接相建小除目始自最查息合日要列商常新根量通串出信生修改度格源所同化例元容需空上支管制能原持本期部集作全提口素得配段年比等月多添算模序情更路具按其代非限只已我了人服系限求客端';
const SIMPLIFIED = `${CHINESE}类数对为获时个后据过构于码转认单实换当关默属则会标参现结将间编应处设异创并内进动开户录调长义组无删证从与传该计态缓验写称装来选请发径检们这测试务监控统项权角资执准备断言错误详审核你好国启程鉴临凭`;
const TRADITIONAL = `${CHINESE}類數對為獲時個後據過構於碼轉認單實換當關預屬則會標參現結將間編應處設異創並內進動開戶錄調長義組無刪證從與傳該計態緩驗寫稱裝來選請發徑檢們這項資料訊號檔案您隱藏顯畫面語音話幕拒絕測試伺統執錯誤詳`;
const JAPANESE =
  '合定入力除理場登録削商品設名更行数新示表用一送管会取了注報変情規出完画細得配加員認集検時覧文確追面成受索編下存在効格明対先開番作期保件発号者処無届選択有実生日初';
const KOREAN =
  '정수한이다를조용자스록을개보회일지리서성에목로제내등기시의하최사생상대드가통공호력초인부세트관비래발코명전메는클설요치위어삭처그점검고소오식계페안터할여동장화구체분권문행약값건된경파신턴프유중진색면종팀니주능작준업현아만추우데도연크과변항단함류모게형원직간은결별반거번템으디백선배포재청료적실담접송당라해있것않때';

/** Symbols that all candidates have, so that they count for none. */
const SYMBOL = /[\xa0-\xbf\xd7\xf7\u2010-\u266f\u3000-\u303f\uff01-\uff5e\uffe0-\uffe5]/;
const HAN = /[\u4e00-\u9fff]/;
const KANA = /[\u3041-\u3096\u30a1-\u30fc]/;
const HANGUL = /[\uac00-\ud7a3]/;

const ASCII = /[\0-\x7f]+/g;
const NOT_ASCII = /[^\0-\x7f]+/g;

/** Rates a text between -1 and 1 by its characters beyond ASCII. */
type Rating = (text: string) => number;

/** Counts frequent characters, and takes away those of other scripts. */
function ratingOf(frequent: string, script: RegExp, own?: RegExp): Rating {
  const known = new Set(frequent);
  return (text) => {
    let [sum, count] = [0, 0];
    for (const character of text.replaceAll(ASCII, '')) {
      const isKnown = known.has(character) || own?.test(character);
      if (!isKnown && SYMBOL.test(character)) continue;
      count++;
      if (isKnown) sum++;
      else if (!script.test(character)) sum--;
    }
    return count === 0 ? 0 : sum / count;
  };
}

/** Lowest rating of text in Chinese, Japanese or Korean: in another encoding it has hardly any frequent character. */
const LEAST = 0.2;

const SMALL = 'абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґў';
const FREQUENT_CYRILLIC = new Set('аоеитнрслвмкдпяыАОЕИТНРСЛВМКДПЯЫ');
const CYRILLIC_WORD = new RegExp(`[${SMALL}]{3}`, 'i');
const [small, capital] = [new Set(SMALL), new Set(SMALL.toUpperCase())];
/** Lowest rating of text in Cyrillic: a list of letters with accents has 0.5 in one of its encodings. */
const LEAST_CYRILLIC = 0.6;

/** The same character in a row, as in frames of DOS: no word has three. */
const RUN = /([^\0-\x7f])\1{2,}/g;

/** Its encodings have the letters in other orders and cases: a small letter before a capital one shows the wrong one. */
function rateCyrillic(decoded: string): number {
  const text = decoded.replaceAll(RUN, '');
  if (!CYRILLIC_WORD.test(text)) return 0;
  let [sum, count] = [0, 0];
  for (const { 0: part, index } of text.matchAll(NOT_ASCII)) {
    count += part.length;
    // `café` has a letter of Latin beside its accent.
    if (isLatin(text, index - 1)) sum--;
    if (isLatin(text, index + part.length)) sum--;
    for (let i = 0; i < part.length; i++) {
      const character = part[i]!;
      if (small.has(character) || capital.has(character)) {
        if (FREQUENT_CYRILLIC.has(character)) sum++;
        // `ДанныеФайла` has a small letter behind the second capital one.
        if (i > 0 && capital.has(character) && small.has(part[i - 1]!) && !small.has(part[i + 1] ?? '')) sum--;
      } else if (!SYMBOL.test(character)) sum--;
    }
  }
  return count === 0 ? 0 : sum / count;
}

function isLatin(text: string, at: number): boolean {
  return /[A-Za-z]/.test(text.charAt(at));
}

const japanese = ratingOf(JAPANESE, HAN, KANA);

/** By name in the Encoding Standard of the WHATWG; the first of equal ones wins. */
const CANDIDATES: readonly { readonly label: string; readonly rate: Rating; readonly least: number }[] = [
  { label: 'gbk', rate: ratingOf(SIMPLIFIED, HAN), least: LEAST },
  { label: 'big5', rate: ratingOf(TRADITIONAL, HAN), least: LEAST },
  { label: 'euc-jp', rate: japanese, least: LEAST },
  { label: 'shift_jis', rate: japanese, least: LEAST },
  { label: 'euc-kr', rate: ratingOf(KOREAN, HANGUL), least: LEAST },
  ...['windows-1251', 'koi8-r', 'ibm866'].map((label) => ({ label, rate: rateCyrillic, least: LEAST_CYRILLIC })),
];

/** Number of bytes that are decoded: 2,048 find 0.1 % more, and take twice the time. */
const MAX_SAMPLE = 1_024;

/** The encoding of text that is not Unicode; `undefined` if it has the letters of none, and may be in Windows-1252. */
export function guessEncoding(bytes: Uint8Array): string | undefined {
  const sample = linesBeyondAscii(bytes);
  let best: string | undefined;
  let highest = 0;
  for (const { label, rate, least } of CANDIDATES) {
    const rating = rate(new TextDecoder(label).decode(sample));
    if (rating < least || rating <= highest) continue;
    best = label;
    highest = rating;
  }
  return best;
}

/** The first lines with bytes beyond ASCII, as a line's end is the same in all encodings. */
function linesBeyondAscii(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(MAX_SAMPLE);
  let length = 0;
  let start = 0;
  while (start < bytes.length && length < MAX_SAMPLE) {
    const feed = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, feed < 0 ? bytes.length : feed + 1);
    start += line.length;
    if (isAscii(line)) continue;
    const part = line.subarray(0, MAX_SAMPLE - length);
    sample.set(part, length);
    length += part.length;
  }
  return sample.subarray(0, length);
}
