import type { UserInfo } from '../../../analytics/contract.ts';
import { daysOf, type DayRange } from '../../../analytics/dateRules.ts';
import { foldCase, identityKey, type Identity } from '../../../analytics/identity.ts';
import { parseDay, type Day } from '../../../base/day.ts';
import { lowerBound } from '../data/rows.ts';
import { busyness, USUAL } from './calendar.ts';
import { hash, stream } from './random.ts';
import { BOTS, DOMAIN, EDITORS, FIRST_NAMES, SIMULATED_LANGUAGES, LAST_NAMES, SERVICE_ACCOUNTS } from './vocabulary.ts';
import { AGENT_WAY, LEVELS, REMOTE_WAY, SERVICE_WAY, SPREAD, WAYS_OF_PEOPLE } from './workdays.ts';

export type AccountKind = 'person' | 'service' | 'bot';

/** A person or a service account. */
export interface Account {
  readonly kind: AccountKind;
  /** Its place in the order of answers. */
  readonly key: string;
  /** Bots have none. */
  readonly identity: Identity | undefined;
  /** As costs show it. */
  readonly info: UserInfo;
  /** The stream of all that is random about it. */
  readonly stream: number;
  /** Its first day, and the first day on which it is no longer there. */
  readonly start: Day;
  readonly end: Day;
  /** Days for which costs go on after the end, of an account that can no longer be named. */
  readonly tailDays: number;
  /** How likely it works on a usual day, of 2^16. */
  readonly rate: number;
  /** The least of its workdays, of `Workdays`; and before the Remote Agent was removed. */
  readonly workday: number;
  readonly oldWorkday: number;
  readonly languages: readonly [string, string];
  readonly editor: string;
  /** 1 where it uses models with the customer's own key. */
  readonly byok: 0 | 1;
  /** Days until it changes to new models. */
  readonly delay: number;
}

export const REMOTE_AGENT_REMOVED = parseDay('2025-10-01')!;
/** Days after which all accounts have changed to new models. */
export const MAX_DELAY = 60;
const MAX_TAIL_DAYS = 14;
const RAMP_DAYS = 60;
const VACATION_BLOCK = 91;
const VACATION_DAYS = 12;
const FOREVER = 2 ** 30;
const NAMES = FIRST_NAMES.length * LAST_NAMES.length;

export interface DirectoryOptions {
  readonly key: number;
  readonly users: number;
  /** The day on which a crowd of new people came, where one did. */
  readonly flood?: Day | undefined;
}

/** Days, how busy they are, and room for the workdays of one account after the other. */
export class Schedule {
  readonly first: Day;
  readonly last: Day;
  readonly busy: Int32Array;
  /** Of the account requested last: its workday on each day, of `Workdays`, or -1 where it did not work. */
  readonly workdays: Int16Array;

  constructor({ first, last }: DayRange) {
    this.first = first;
    this.last = last;
    this.busy = Int32Array.from(daysOf({ first, last }), busyness);
    this.workdays = new Int16Array(this.busy.length);
  }
}

/** Number of desks after which building a directory lets other work run. */
const DESKS_AT_ONCE = 250;

/**
 * The accounts present at some time from `first` to `last`. There are as many desks as users; at each, one person follows
 * another after some years, for all time. So any two years have people who come and go, and a day is the same at each
 * request.
 */
export class Directory {
  readonly first: Day;
  readonly last: Day;
  /** In the order of answers. */
  readonly accounts: readonly Account[];
  /** Those whose costs go on after they left, in the order in which they did. */
  readonly #leavers: readonly Account[];
  #byKey: Map<string, number> | undefined;
  /* What a day is computed from, apart: a pass over all accounts then reads memory in order. */
  readonly delays: Int32Array;
  readonly byoks: Int32Array;
  /** 1 for accounts whose activity is reported: bots have none. */
  readonly isSeen: Uint8Array;
  readonly #start: Int32Array;
  readonly #end: Int32Array;
  readonly #stream: Int32Array;
  readonly #isPerson: Int32Array;
  readonly #rate: Int32Array;
  readonly #workday: Int32Array;
  readonly #oldWorkday: Int32Array;

  /** Makes one piece by piece, as ten thousand people take a third of a second. */
  static *making({ key, users, flood }: DirectoryOptions, first: Day, last: Day): Generator<undefined, Directory> {
    const accounts: Account[] = [];
    const step = stepThroughNames(key);
    const desks = stream(key, 'desk');
    const people = stream(key, 'person');
    for (let desk = 0; desk < users; desk++) {
      const own = hash(desks, desk);
      const period = 400 + (hash(own, 0) % 2600);
      const phase = hash(own, 1) % period;
      // One more before, for what is still billed after they left.
      for (let turn = Math.floor((first - 30 + phase) / period); turn * period - phase <= last; turn++) {
        const start = turn * period - phase + 5 + (hash(own, turn + 2) % 40);
        const end = (turn + 1) * period - phase;
        accounts.push(person(key, people, step, desk + Math.max(0, turn) * users, start, end));
      }
      if (desk % DESKS_AT_ONCE === DESKS_AT_ONCE - 1) yield;
    }
    if (flood !== undefined) {
      const contractors = stream(key, 'person.contractor');
      for (let i = 0; i < newcomers(users); i++)
        accounts.push(person(key, contractors, step, i, flood - (hash(key, i) % 3), FOREVER, '.contractor'));
    }
    const services = Math.max(1, Math.ceil(users / 40));
    for (let i = 0; i < services; i++) accounts.push(serviceAccount(key, i));
    BOTS.forEach((name, i) => accounts.push(bot(key, i, name)));
    yield;
    accounts.sort((a, b) => (a.key < b.key ? -1 : 1));
    yield;
    return new Directory(accounts, first, last);
  }

  static make(options: DirectoryOptions, first: Day, last: Day): Directory {
    const pieces = Directory.making(options, first, last);
    for (;;) {
      const { done, value } = pieces.next();
      if (done) return value;
    }
  }

  private constructor(accounts: readonly Account[], first: Day, last: Day) {
    this.first = first;
    this.last = last;
    this.accounts = accounts;
    this.#leavers = accounts.filter(({ tailDays }) => tailDays > 0).sort((a, b) => a.end - b.end);
    const column = (value: (account: Account) => number): Int32Array => Int32Array.from(accounts, value);
    this.delays = column(({ delay }) => delay);
    this.byoks = column(({ byok }) => byok);
    this.isSeen = Uint8Array.from(accounts, ({ identity }) => Number(identity !== undefined));
    this.#start = column(({ start }) => start);
    this.#end = column(({ end }) => end);
    this.#stream = column((account) => account.stream);
    this.#isPerson = column(({ kind }) => Number(kind === 'person'));
    this.#rate = column(({ rate }) => rate);
    this.#workday = column(({ workday }) => workday);
    this.#oldWorkday = column(({ oldWorkday }) => oldWorkday);
  }

  /** The place of the account with a key. */
  find(key: string): number | undefined {
    this.#byKey ??= new Map(this.accounts.map((account, at) => [account.key, at]));
    return this.#byKey.get(key);
  }

  /** Finds the workdays of the account at a place; gives how many there are. Where there are none they are left as they were. */
  schedule(at: number, { first, last, busy, workdays }: Schedule): number {
    const start = this.#start[at]!;
    const from = Math.max(first, start);
    const to = Math.min(last, this.#end[at]! - 1);
    if (from > to) return 0;
    // Without a call, since most ranges are short.
    for (let i = 0; i < workdays.length; i++) workdays[i] = -1;
    const own = this.#stream[at]!;
    const isPerson = this.#isPerson[at] === 1;
    const rate = this.#rate[at]!;
    let [vacation, blockEnd] = [0, -Infinity];
    let count = 0;
    for (let day = from; day <= to; day++) {
      const random = hash(own, day);
      // Newcomers try it on some days first.
      const ramp = isPerson && day - start < RAMP_DAYS ? RAMP_DAYS - (day - start) : 0;
      const chance = rate * (isPerson ? busy[day - first]! : USUAL);
      const drawn = (random & 0xffff) * USUAL;
      if (ramp === 0 ? drawn >= chance : drawn * (RAMP_DAYS + 15) >= chance * (RAMP_DAYS + 15 - ramp)) continue;
      if (isPerson) {
        if (day >= blockEnd) {
          const block = Math.floor(day / VACATION_BLOCK);
          blockEnd = (block + 1) * VACATION_BLOCK;
          vacation = vacationIn(own, block);
        }
        if (day >= vacation && day < vacation + VACATION_DAYS) continue;
      }
      const least = day < REMOTE_AGENT_REMOVED ? this.#oldWorkday[at]! : this.#workday[at]!;
      const way = least - (least % LEVELS);
      // Once in years an account lets agents run all day and night.
      workdays[day - first] =
        random % 1999 === 7
          ? way + LEVELS - 1 - (random >>> 28)
          : Math.max(way, least + ((random >>> 16) % SPREAD) - ramp);
      count++;
    }
    return count;
  }

  /** The place of the first account whose key is `key` or after it. */
  placeOf(key: string): number {
    return lowerBound(0, this.accounts.length, (at) => this.accounts[at]!.key >= key);
  }

  /** Those who left, and whose costs may go on in a range. */
  leaversOf({ first, last }: DayRange): readonly Account[] {
    const leavers = this.#leavers;
    const from = lowerBound(0, leavers.length, (at) => leavers[at]!.end > first - MAX_TAIL_DAYS);
    return leavers.slice(
      from,
      lowerBound(from, leavers.length, (at) => leavers[at]!.end > last),
    );
  }
}

/** How many come in a flood. */
export function newcomers(users: number): number {
  return Math.ceil(users / 4) + 5;
}

/** The first day of two weeks in most quarters; where there are none it is of the next. */
function vacationIn(own: number, block: number): Day {
  return block * VACATION_BLOCK + (hash(own ^ 0x7ac, block) % 110);
}

function person(key: number, people: number, step: number, number: number, start: Day, end: Day, sort = ''): Account {
  const own = hash(people, number);
  const at = (number * step + (hash(key, 1) % NAMES)) % NAMES;
  const [first, last] = [FIRST_NAMES[at % FIRST_NAMES.length]!, LAST_NAMES[Math.floor(at / FIRST_NAMES.length)]!];
  const round = Math.floor(number / NAMES);
  const isCapital = hash(own, 1) % 12 === 0;
  const shown = isCapital ? `${capital(first)}.${capital(last)}` : `${first}.${last}`;
  const name = `${shown}${round === 0 ? '' : round + 1}${sort}@${DOMAIN}`;
  const way = hash(own, 2) % WAYS_OF_PEOPLE;
  const isOutlier = hash(own, 3) % 100 === 0;
  const level = isOutlier ? LEVELS - SPREAD : (hash(own, 4) % 95) + (hash(own, 5) % 75);
  const main = hash(own, 6) % SIMULATED_LANGUAGES.length;
  return {
    kind: 'person',
    ...named({ kind: 'user_email', name }),
    info: { user_type: 'COST_ANALYTICS_USER_TYPE_USER', user_email: name },
    stream: own,
    start,
    end,
    tailDays: hash(own, 7) % 3 === 0 ? 3 + (hash(own, 8) % (MAX_TAIL_DAYS - 2)) : 0,
    rate: isOutlier ? 64_000 : 12_000 + (hash(own, 9) % 50_000),
    workday: way * LEVELS + level,
    oldWorkday: (way === AGENT_WAY ? REMOTE_WAY : way) * LEVELS + level,
    languages: [
      SIMULATED_LANGUAGES[main]!,
      SIMULATED_LANGUAGES[
        (main + 1 + (hash(own, 10) % (SIMULATED_LANGUAGES.length - 1))) % SIMULATED_LANGUAGES.length
      ]!,
    ],
    editor: EDITORS[Math.min(hash(own, 11) % EDITORS.length, hash(own, 12) % EDITORS.length)]!,
    byok: hash(own, 13) % 8 === 0 ? 1 : 0,
    delay: hash(own, 14) % MAX_DELAY,
  };
}

function serviceAccount(key: number, i: number): Account {
  const round = Math.floor(i / SERVICE_ACCOUNTS.length);
  const name = `${SERVICE_ACCOUNTS[i % SERVICE_ACCOUNTS.length]!}${round === 0 ? '' : `-${round + 1}`}`;
  return {
    ...machine('service', hash(stream(key, 'service'), i), 63_000),
    ...named({ kind: 'service_account_name', name }),
    info: { user_type: 'COST_ANALYTICS_USER_TYPE_SERVICE_ACCOUNT', service_account_name: name },
  };
}

function bot(key: number, i: number, name: string): Account {
  return {
    ...machine('bot', hash(stream(key, 'bot'), i), 60_000),
    key: `${foldCase(name)}\0w${name}`,
    identity: undefined,
    info: { user_type: 'COST_ANALYTICS_USER_TYPE_BOT', bot_name: name },
  };
}

function machine(kind: AccountKind, own: number, rate: number): Omit<Account, 'key' | 'identity' | 'info'> {
  const workday = SERVICE_WAY * LEVELS + 100 + (hash(own, 1) % 75);
  return {
    kind,
    stream: own,
    start: -FOREVER,
    end: FOREVER,
    tailDays: 0,
    rate,
    workday,
    oldWorkday: workday,
    languages: [SIMULATED_LANGUAGES[0]!, SIMULATED_LANGUAGES[1]!],
    editor: EDITORS[0]!,
    byok: 0,
    delay: hash(own, 2) % 30,
  };
}

function named(identity: Identity): { readonly key: string; readonly identity: Identity } {
  return { key: identityKey(identity), identity };
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

/** Steps that come through all names before any comes twice: without a divisor in common with their number. */
function stepThroughNames(key: number): number {
  let step = (hash(key, 2) % NAMES) | 1;
  while (divisor(step, NAMES) !== 1) step += 2;
  return step;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
