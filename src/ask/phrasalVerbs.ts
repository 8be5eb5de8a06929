import { WORD } from '../engine/analyze/numbers.ts';
import { stem } from '../engine/analyze/words.ts';

/** Verbs with a second part that code writes as one word, by the stem of the verb: `falls back` is `fallback`. */
const JOINED: ReadonlyMap<string, string> = new Map(
  (
    'time out,shut down,fall back,roll back,call back,back off,hand off,set up,clean up,start up,look up,warm up,wake up,hang up,back up,' +
    'sign up,log in,sign in,plug in,log out,sign out,lock out,check out,fan out,tear down,cool down,fail over,take over,work around'
  )
    .split(',')
    .map((verb) => {
      const [first = '', second = ''] = verb.split(' ');
      return [`${stem(first)} ${second}`, `${first}${second}`];
    }),
);
const IRREGULAR: Readonly<Record<string, string>> = {
  fell: 'fall',
  fallen: 'fall',
  tore: 'tear',
  torn: 'tear',
  woke: 'wake',
  woken: 'wake',
  hung: 'hang',
  took: 'take',
  taken: 'take',
};
/** The verb whose first part alone has another meaning in code. */
const WHOLE = 'timeout';

/** The text with the joined word behind each such verb, or in its place: `when it times out` is about a `timeout`, not a time. */
export function withJoinedVerbs(text: string): string {
  const words = [...text.matchAll(WORD)];
  let joined = '';
  let end = 0;
  for (const [i, { 0: second, index }] of words.entries()) {
    const before = words[i - 1];
    if (!before) continue;
    const first = before[0].toLowerCase();
    const name = JOINED.get(`${stem(IRREGULAR[first] ?? first)} ${second.toLowerCase()}`);
    if (name === undefined || text.slice(before.index + first.length, index) !== ' ') continue;
    joined += name === WHOLE ? `${text.slice(end, before.index)}${name}` : `${text.slice(end, index)}${second} ${name}`;
    end = index + second.length;
  }
  return joined + text.slice(end);
}
