// npm run bench:ask [-- --ablate] [--failures] [--repository NAME]… [--json FILE]
// Measures answers with questions whose answers are known, test/bench/ask/questions.tsv: whether the lines that answer are shown
// without a model, and whether they are in a model's prompt of 4,000 and 8,000 tokens. Beside it run plain search and a retrieval
// like grep. --ablate also measures without each ingredient, --failures
// prints each question that fails. Fails if an answer quotes what is not in the cited file.
//
// The questions were written by reading: for each repository, a mechanism, rule or limit was chosen, the question put as one who
// does not know the code would, and the few lines that answer it marked by their text. Some have two places, either of which
// answers. Follow-ups ask how the same is tested. Weights of passages are fitted to all but eslint, zookeeper, nunit and mojolicious, and to other
// questions: see scripts/trainRanker.mjs.
// Repositories are packages of the lockfile, of Debian's archive and of Maven, kept in out/bench-typed and out/bench-places.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bringAsked } from './lib/askRepositories.mjs';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { fail } from './lib/say.mjs';

const { values } = parseArgs({
  options: {
    failures: { type: 'boolean', default: false },
    ablate: { type: 'boolean', default: false },
    repository: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
});
await ensureDependencies();
const { askRepositories } = await import('../test/bench/ask/questions.ts');

const wanted = askRepositories().filter((name) => values.repository.length === 0 || values.repository.includes(name));
if (wanted.length === 0) fail(`The repositories are: ${askRepositories().join(', ')}.`);
const options = {
  repositories: await bringAsked(wanted),
  failures: values.failures,
  ablate: values.ablate,
  ...(values.json !== undefined && { json: resolve(process.env.INIT_CWD ?? '.', values.json) }),
};
const script = join(root, 'test/bench/ask/run.ts');
const { status } = spawnSync(pinnedNode(), [script, JSON.stringify(options)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
