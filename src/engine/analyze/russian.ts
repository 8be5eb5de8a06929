/*
 * The endings of Russian words by the rules of Snowball (snowballstem.org/algorithms/russian), for words in small letters with `е`
 * for `ё`.
 */

const BEFORE_VOWELS = /^[^аеиоуыэюя]*[аеиоуыэюя]/;
/** What Snowball calls R2: after a vowel and a consonant, twice. */
const BEFORE_SUFFIX = /^(?:[^аеиоуыэюя]*[аеиоуыэюя]+[^аеиоуыэюя]){2}/;

const GERUND = /(?:(?<=[ая])(?:вшись|вши|в)|ившись|ывшись|ивши|ывши|ив|ыв)$/;
const REFLEXIVE = /с[яь]$/;
const ADJECTIVE = /(?:ими|ыми|его|ого|ему|ому|ее|ие|ые|ое|ей|ий|ый|ой|ем|им|ым|ом|их|ых|ую|юю|ая|яя|ою|ею)$/;
const PARTICIPLE = /(?:(?<=[ая])(?:ем|нн|вш|ющ|щ)|ивш|ывш|ующ)$/;
const VERB =
  /(?:(?<=[ая])(?:ла|на|ете|йте|ли|й|л|ем|н|ло|но|ет|ют|ны|ть|ешь|нно)|ила|ыла|ена|ейте|уйте|ите|или|ыли|ей|уй|ил|ыл|им|ым|ен|ило|ыло|ено|ят|ует|уют|ит|ыт|ены|ить|ыть|ишь|ую|ю)$/;
const NOUN =
  /(?:иями|ями|ами|ией|иям|ием|иях|ев|ов|ие|ье|еи|ии|ей|ой|ий|ям|ем|ам|ом|ах|ях|ию|ью|ия|ья|а|е|и|й|о|у|ы|ь|ю|я)$/;

/** The stem of a Russian word: `настройк` of `настройка`, `настройками`. Other words in Cyrillic letters lose such endings, too. */
export function stemRussian(word: string): string {
  const [beginning] = BEFORE_VOWELS.exec(word) ?? [word];
  const suffixes = Math.max(0, (BEFORE_SUFFIX.exec(word)?.[0].length ?? Infinity) - beginning.length);
  let rest = withoutEnding(word.slice(beginning.length)).replace(/и$/, '');
  if (rest.length >= suffixes) rest = rest.slice(0, suffixes) + rest.slice(suffixes).replace(/ость?$/, '');
  rest = rest.replace(/ейше?$/, '');
  return beginning + (rest.endsWith('нн') ? rest.slice(0, -1) : rest.replace(/ь$/, ''));
}

function withoutEnding(rest: string): string {
  if (GERUND.test(rest)) return rest.replace(GERUND, '');
  const plain = rest.replace(REFLEXIVE, '');
  if (ADJECTIVE.test(plain)) return plain.replace(ADJECTIVE, '').replace(PARTICIPLE, '');
  return VERB.test(plain) ? plain.replace(VERB, '') : plain.replace(NOUN, '');
}
