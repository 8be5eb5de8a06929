import type { ResourceType } from '../../../analytics/contract.ts';

/* What the simulated organization is made of. The order of each list is part of what a seed means: append only. */

export const DOMAIN = 'northwind.example';

export const FIRST_NAMES = (
  'ada alan amara anders anita anton beatriz bela bruno carla chen clara daniel daria dev diego elena elif emil emma ' +
  'erik eva farah felix fiona gabriel grace hana hannah henry hugo ines ingrid isaac ivan jana jonas juan julia kai karim ' +
  'kenji lara lena leo lin lucia lukas maja marco maria mei mila milan nadia nina noah nora olga omar oscar paula pedro ' +
  'petra priya rafael ravi rosa ruth samir sara simon sofia sven tara theo tomas uma vera victor wei yara yusuf zoe'
).split(' ');

export const LAST_NAMES = (
  'adler almeida andersson baker banerjee becker bianchi brandt carter castro chen costa cruz diaz dubois eriksen evans ' +
  'ferrari fischer fontaine garcia gomez gupta haas hansen hartmann horvat hughes ito ivanova jansen jensen johansson kaya ' +
  'keller kim king klein kovacs kumar larsen laurent lee lindqvist lopez maier marino martin mehta meyer moreau mueller ' +
  'nakamura ndiaye nguyen nielsen novak okafor olsen ortiz park patel pereira petrov ramos rossi roy sato schmidt schulz ' +
  'sharma silva smith sokolov suzuki tanaka torres turner vargas vogel wagner wang weber wood yamamoto yilmaz young zhang'
).split(' ');

export const SERVICE_ACCOUNTS = (
  'nightly-build release-train ci-runner dependency-updates docs-publisher load-tests migration-agent security-scan ' +
  'flaky-test-hunter changelog-writer'
).split(' ');

export const BOTS = ['Review Bot', 'Triage Bot', 'Backport Bot'];

export const SIMULATED_LANGUAGES =
  'TypeScript Python Java Go C# Kotlin Rust C++ Ruby PHP Swift Scala SQL Shell Terraform Markdown'.split(' ');

export const EDITORS = ['VS Code', 'IntelliJ IDEA', 'Neovim', 'PyCharm', 'Visual Studio', 'WebStorm'];

export const UNKNOWN = 'Unknown';
export const CLI = 'CLI';

export const PRODUCTS = ['Completions', 'Chat', 'IDE Agent', 'CLI Agent', 'Experts', 'Remote Agent', 'Code Review'];
export type Product = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Each has generations: `cedar-9`. Dear, usual, cheap. */
export const MODEL_FAMILIES = ['sequoia', 'cedar', 'willow'];
export const COMPUTE = ['Environment, 4 cores', 'Environment, 16 cores'];
/** A family or a kind of compute. */
export const SLOTS = MODEL_FAMILIES.length + COMPUTE.length;

export const EXPERTS = [
  { id: 'expert-api-design', name: 'API Design' },
  { id: 'expert-incident-review', name: 'Incident Review' },
  { id: 'expert-migrations', name: 'Database Migrations' },
  { id: 'expert-security', name: 'Security Review' },
  { id: 'expert-tests', name: 'Test Author' },
];

export function resourceName(slot: number, generation: number): string {
  const family = MODEL_FAMILIES[slot];
  return family === undefined ? COMPUTE[slot - MODEL_FAMILIES.length]! : `${family}-${generation}`;
}

export function resourceType(slot: number): ResourceType {
  return slot < MODEL_FAMILIES.length ? 'COST_ANALYTICS_RESOURCE_TYPE_MODEL' : 'COST_ANALYTICS_RESOURCE_TYPE_COMPUTE';
}
