// The floors of docs/architecture.md: a room imports only from lower floors.
const FLOORS = [
  ['base'],
  ['engine', 'wire', 'analytics', 'webhooks', 'protocol'],
  ['workspace', 'ask'],
  ['context'],
  ['server', 'mcp'],
  ['cli', 'extension'],
];

const tests = String.raw`\.test\.ts$`;

const floorRules = FLOORS.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const allowed = [room, ...FLOORS.slice(0, floor).flat()];
    return {
      name: `floor-of-${room}`,
      comment: `src/${room} may import from: ${allowed.join(', ')}.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^src/${room}/`, pathNot: tests },
      to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/` },
    };
  }),
);

/** The floors inside src/server; its files above them may import all. */
const SERVER_FLOORS = [['http', 'state'], ['auth'], ['analytics'], ['faults'], ['admin'], ['webhooks', 'context']];

const serverRules = SERVER_FLOORS.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const allowed = [room, ...SERVER_FLOORS.slice(0, floor).flat()];
    return {
      name: `server-floor-of-${room}`,
      comment: `src/server/${room} may import from: ${allowed.join(', ')}.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^src/server/${room}/`, pathNot: tests },
      to: { path: '^src/server/', pathNot: `^src/server/(${allowed.join('|')})/` },
    };
  }),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...floorRules,
    ...serverRules,
    {
      name: 'every-room-has-a-floor',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(index\\.ts$|(${FLOORS.flat().join('|')})/)` },
      to: {},
    },
    {
      name: 'every-room-of-the-server-has-a-floor',
      severity: 'error',
      from: { path: '^src/server/[^/]+/', pathNot: `^src/server/(${SERVER_FLOORS.flat().join('|')})/` },
      to: {},
    },
    {
      name: 'floor-of-webview',
      comment: 'A page may import the protocol, and of base and analytics what needs no Node.',
      severity: 'error',
      from: { path: '^webview/', pathNot: tests },
      to: { path: '^src/', pathNot: String.raw`^src/(protocol/|base/|analytics/contract\.ts$)` },
    },
    {
      name: 'no-node-in-the-browser',
      severity: 'error',
      from: { path: '^webview/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'what-node-runs-imports-no-page',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^webview/' },
    },
    {
      name: 'one-file-knows-the-toolkit',
      severity: 'error',
      from: { pathNot: '^webview/components[.]ts$' },
      to: { path: '^node_modules/(@vscode/webview-ui-toolkit|@microsoft/fast-)' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'vscode-only-in-the-extension',
      severity: 'error',
      from: { pathNot: '^(src/extension|test)/' },
      to: { path: '^(vscode|node_modules/@types/vscode)' },
    },
    {
      name: 'the-engine-knows-no-network',
      severity: 'error',
      from: { path: '^src/(base|engine)/', pathNot: tests },
      to: { path: '^(node:)?(https?|http2|net|tls|dgram|dns)$' },
    },
    {
      name: 'what-ships-imports-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: ['^test/', tests] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^vscode$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
