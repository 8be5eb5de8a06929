/** The name of a limit: `maxRetries`, `min_size`. */
const LIMIT_NAME = /\b(?:max|min|MAX|MIN)[A-Z_]/;

/** A question that a number answers: "what is the default timeout?", "how many retries are made?". */
const NUMBER =
  /\b(?:defaults?|how (?:many|much|long|large|big|often|deep|high|fast|small|short|far|old|strong)|limits?|max(?:im(?:um|al|a))?|min(?:im(?:um|al|a))?|longest|shortest|largest|smallest|lowest|highest|size)\b/i;

/** A question for nothing but a number, not one for what happens at a limit or how a size is computed. */
const ONLY_NUMBER =
  /\bhow (?:many|much|long|large|big|often|deep|high|fast|small|short|far|old|strong)\b|\bwhat(?:'s| is| are)\b|\bby default\b/i;

/** What a question for a quantity calls it, and words that names of it have, in code of any language. */
const QUANTITIES: readonly (readonly [question: RegExp, names: string])[] = [
  [
    /\bhow (?:long|old)\b|\bhow (?:many|much) (?:\w+ )?(?:time|(?:milli)?seconds|minutes|hours|days|weeks)\b/i,
    'duration timeout lifetime ttl expiration expiry expires expire age period interval delay wait time grace seconds minutes hours days lives',
  ],
  [/\bhow often\b/i, 'interval schedule period frequency every rate cron'],
  [/\bhow (?:big|large)\b|\b(?:larg|bigg|small)est\b|\bsize\b/i, 'size length limit max maximum bytes'],
  [/\bhow (?:many|much)\b|\bmost\b/i, 'max maximum limit count threshold retries attempts per'],
];

export function asksForNumber(question: string): boolean {
  return NUMBER.test(question) || LIMIT_NAME.test(question);
}

export function asksOnlyForNumber(question: string): boolean {
  return asksForNumber(question) && ONLY_NUMBER.test(question);
}

/** Words of names that hold the quantity which a question is about: `lifetime` for "how long does a session live?". */
export function quantityWords(question: string): readonly string[] {
  return QUANTITIES.find(([asked]) => asked.test(question))?.[1].split(' ') ?? [];
}
