import { stem } from '../engine/analyze/words.ts';

/**
 * Words that programs use for one thing, a group a line. Written from general knowledge of code in many languages, as the index has no
 * synonyms; a longer list from a thesaurus would relate words by senses that code does not have.
 */
const GROUPS = `
maximum max largest biggest most limit upper
minimum min smallest least lower
temporary temp tmp
directory dir folder
configuration config conf cfg setting option preference
message msg
connection conn socket
request req
response resp reply answer
identifier id key
number num count amount total
parameter param argument arg
address addr
length len size
large big huge long
pointer ptr
error err failure fail exception fault crash
initialize init setup begin start
authenticate auth login password credential signin
environment env
database db
previous prev last before
current cur now
source src origin
destination dest dst target
command cmd
function func fn method
variable var
expression expr
statement stmt
attribute attr property prop
reference ref
document doc
memory mem heap ram
allocate alloc reserve
index idx
remove delete drop discard erase clear purge evict strip forget
add append insert push
create make build new generate construct
find lookup search locate discover
get fetch load read retrieve obtain
save store write persist keep remember
check verify validate ensure accept
compare match equal
wait timeout delay sleep pause
retry repeat again attempt
stop end close shutdown finish terminate quit exit
cancel abort interrupt
run execute launch invoke call
choose select pick decide
change modify update edit alter
replace substitute swap
convert transform translate map
encode escape quote
decode parse unescape
split divide partition
join merge combine concatenate group
lock mutex exclusive latch
thread worker concurrent parallel simultaneous
process child daemon
log record trace
user account person client
permission access allow grant authorize
deny refuse reject forbid block disallow
ignore skip exclude omit bypass
hidden private secret
encrypt cipher crypto
hash digest checksum
compress gzip deflate zip
expire stale old age ttl outdated
limit quota throttle rate restrict
refresh renew reload
damage corrupt broken invalid malformed bad
duplicate same identical unique
order sort rank priority
path route url uri
upload send post transmit
download receive
page pagination
event signal hook callback handler listener notify
schedule timer interval periodic
release free
dependency require import package module
picture image photo
date time timestamp clock
row record entry item
relation association
queue backlog pending
leader master primary
replica slave secondary standby
server host machine node peer
guess detect infer sniff determine
default fallback
calculate compute
display show render print
overflow exceed
safe secure protect guard prevent
content body payload
header field
type kind class
empty blank null nil none missing absent
line row
unused idle inactive
first initial head
space whitespace blank
nested recursive depth
character char letter
string str text
certificate cert
signature sign
version revision
inherit extend subclass parent
foreign cross external
`;

/** Words that mean nearly the same, by the stem of each. */
const BY_STEM: ReadonlyMap<string, readonly string[]> = groups();

function groups(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const line of GROUPS.trim().split('\n')) {
    const words = line.split(' ');
    for (const word of words) {
      const known = all.get(stem(word)) ?? [];
      all.set(stem(word), [...known, ...words.filter((other) => stem(other) !== stem(word) && !known.includes(other))]);
    }
  }
  return all;
}

/** Words that mean nearly the same as the one with the stem, the nearest first. */
export function relatedWords(stemmed: string): readonly string[] {
  return BY_STEM.get(stemmed) ?? [];
}
