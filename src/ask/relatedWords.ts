import { stem } from '../engine/analyze/words.ts';
import plainWords from './plainWords.json' with { type: 'json' };

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
delay pause throttle backoff wait
interval period frequency often
slow latency lag delay
fast quick speed performance
forever infinite endless loop cycle
loop cycle recursion circular
again retry repeat redo
undo rollback revert restore
backup snapshot dump
postpone defer delay lazy
periodic heartbeat tick poll
deadline timeout expiry
simultaneous concurrent parallel
average mean
sum total aggregate
twice duplicate double dup
threshold limit cutoff
cap limit bound ceiling
exact precise strict precision
round truncate floor ceil
cut truncate trim slice
shorten truncate abbreviate trim
estimate approximate guess
text string content
spreadsheet csv sheet table
disk storage file fs
half partial incomplete
crash failure abort panic
whole complete entire atomic
rename move
shortcut symlink link
copy clone duplicate
tidy cleanup purge prune gc
clean sanitize strip cleanup
rubbish garbage
unpack extract unzip decompress
pack archive bundle zip
ending extension suffix
beginning prefix start
owner permission
site host domain
website site domain
visit request fetch crawl
visited seen
known seen registered
link url href anchor
ip address host
proxy gateway tunnel
encrypted tls ssl secure
handshake negotiate
agree negotiate handshake
reuse keepalive pool recycle
hang stall block freeze
drop discard ignore
lost missing dropped
offline unreachable disconnected online
alive healthy ping reachable
health alive probe status
answer response reply result
question query request
redirect forward follow
mirror replica
balance distribute spread
spread distribute
traffic packet bandwidth
listen bind accept
browser agent client
visitor client user
logout signout
password secret credential passphrase
token bearer jwt
attack malicious hostile
forge spoof csrf
trust verify
variable name identifier binding
constant literal
deep depth level nested
nest depth level
tree hierarchy node
parent ancestor
child descendant
last tail final latest
next following successor
different distinct diff mismatch
difference diff delta
differ mismatch diff
changed dirty modified
unchanged clean
vote election ballot
elect choose vote
better compare prefer
prefer priority favor
wrong invalid incorrect bad
correct valid right fix
repair fix recover restore
recover restore repair
mistake error typo
warning warn alert notice
complain warn report
report log message
draw render paint
colour color style
screen display terminal console
window frame dialog popup
click press mouse hit
column field
box rectangle bounds
position offset location index
place position location
leak retain
keep retain preserve
share common shared
fill populate
decimal float number
digit number
integer int number
symbol character char
word token term
language locale lang
charset encoding character
translate locale convert
zone timezone offset
money amount currency price
price cost amount
percent ratio rate
share ratio portion
random shuffle rand
given provided specified passed
allowed permitted valid accepted
forbidden denied disallowed
required mandatory
optional nullable
switch toggle flag
enable activate on
disable deactivate off
state status phase
ready available
busy locked
waiting pending queue
finished done complete
fake mock stub dummy
expected assert
compile build
comment doc
indent indentation whitespace
newline line break
gap space whitespace
bracket parenthesis paren brace
comma separator delimiter
separator delimiter sep
bytes buffer binary
serialize marshal encode dump
deserialize unmarshal decode load
survive preserve persist
library package lib module
plugin extension addon
install setup
upgrade update migrate
publish release
newest latest recent
program process executable application
launch spawn exec start
start boot launch spawn
kill terminate stop signal
restart reload respawn
background daemon worker async
wake notify signal
hear receive heartbeat
listener watcher observer subscriber
fire trigger emit dispatch
notice detect
tell notify
inform notify
watch observe monitor
untrusted unsafe
protect guard secure
belong owner member
member element item
element item entry
list array collection
collection list set
dictionary map hash
lookup map table
pair entry tuple
field attribute column member
object instance
copy instance
shape schema structure
structure struct layout
layout format structure
format style layout
template pattern layout
pattern regex glob
wildcard glob pattern
rule policy constraint
policy rule strategy
strategy policy algorithm
constraint rule check
condition predicate test
filter predicate select
search query find
match test pattern
suggestion hint recommend
hint tip suggestion
help usage
usage help consumption
wrong mismatch
cause reason
reason cause message
explain describe
describe description summary
label title name tag
title heading name
heading title header
tag label marker
mark flag tag
marker mark sentinel
rank score weight
weight priority score
cost weight price
punish penalize decrease
decrease reduce lower shrink
shrink reduce compact
grow increase expand resize
increase raise grow
raise throw increase
throw raise
catch rescue except handle
handle process
widen expand extend
narrow restrict
border edge boundary
limit bound
outside external outer
inside internal inner
inner nested internal
around surrounding context
context scope environment
scope context namespace
namespace scope prefix
global static shared
local own private
foreign external remote
remote upstream server
upstream backend server
frontend client ui
form input submit
input stdin source
output stdout result
result outcome return
return result
submit post send
mail email smtp
email mail
phone number
person user member
customer user client
people users
employee user
admin administrator root
team group
group team set
role permission
right permission
guest anonymous
anonymous unnamed
named name
nickname alias
alias synonym name
abbreviation short alias
long verbose
short brief
verbose debug
debug trace
trace stack
statistic metric counter
metric counter gauge
counter count
measure metric time
graph chart plot
map transform
fold reduce
flatten unnest
reverse invert
opposite inverse negate
negate not invert
upside reverse
rotate roll
shift move offset
align pad
pad fill align
wrap enclose
nest wrap
inject insert
embed inline include
inline embed
attach add bind
detach remove unbind
bind attach connect
subscribe listen register
register add subscribe
unregister remove unsubscribe
announce advertise publish
broadcast publish notify
consume read receive
produce emit write
deliver send dispatch
delivery send dispatch
confirm acknowledge ack
receipt ack
promise future deferred
future promise
task job work
job task
step stage phase
plan schedule
goal target
purpose goal
preview draft
history log journal
journal log wal
transaction commit tx
commit transaction
conflict collision clash
race concurrent
deadlock lock
exclusive lock
atomic transaction
consistent integrity
integrity checksum consistent
damaged corrupt broken
torn partial corrupt
sample example
tutorial guide
manual guide
license copyright
country region locale
region area zone
area region
city location
distance length
near close neighbor
neighbour neighbor adjacent
adjacent neighbor next
merge join union
union merge
common intersection shared
overlap intersect
gather collect
scatter spread
summary digest
compute calculate evaluate
evaluate compute eval
formula expression
equation formula
power exponent
root base
foundation base
infer deduce
assume default
assumption default
imply infer
obey respect honor
honour honor respect
violate break
survive outlive
lifetime ttl duration
duration time length
age ttl
birth created
death destroyed
alive active
dead closed inactive
sleep idle
idle inactive sleep
lazy deferred
eager immediate
immediate instant sync
sync synchronize
blocking synchronous sync
asynchronous async
together batch group
batch bulk group
bulk batch
single one
alone single
once single
piece chunk part fragment
part piece segment
fragment chunk piece
segment part chunk
slice part
bit flag
mask bitmask
signed sign
negative minus
positive plus
infinity infinite
zero null
nothing none empty null
everything all
anything any
everyone all
`;

/**
 * Words that mean nearly the same, by the stem of each. Behind those of the groups come code's words for plain ones, written from general
 * knowledge for words of the questions of bench:ask.
 */
const BY_STEM: ReadonlyMap<string, readonly string[]> = groups();

function groups(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  const relate = (word: string, others: readonly string[]): void => {
    const known = all.get(stem(word)) ?? [];
    all.set(stem(word), [...known, ...others.filter((other) => stem(other) !== stem(word) && !known.includes(other))]);
  };
  for (const line of GROUPS.trim().split('\n')) {
    const words = line.split(' ');
    for (const word of words) relate(word, words);
  }
  for (const [word, others] of Object.entries(plainWords)) relate(word, others.split(' '));
  return all;
}

/** Words that mean nearly the same as the one with the stem, the nearest first. */
export function relatedWords(stemmed: string): readonly string[] {
  return BY_STEM.get(stemmed) ?? [];
}
