/**
 * The floors of the house, as rules: a floor imports only from floors below it, and so do the rooms of one part; modules of
 * one floor never import each other, nothing imports in a circle, and the domain needs nothing but itself.
 *
 * `depcruise src` reads this; test/tooling/floors.spec.ts proves that each rule catches what it is for.
 */
const FLOORS = [
  ['domain'],
  ['kit'],
  ['core'],
  ['modules/webhooks'],
  ['modules/users'],
  ['modules/accounts'],
  ['modules/auth'],
  ['modules/limits'],
  ['modules/markets', 'modules/pets', 'modules/news', 'modules/blog', 'modules/chat'],
  ['modules/exchange', 'modules/wallets', 'modules/banking', 'modules/store'],
  ['modules/proof'],
  ['modules/admin'],
];
// The floor above them all is whatever else stands in src: main, create-app, index, the demo data.

/** Specs may reach for test support and for neighbours to compare with; they are never shipped. */
const SPEC = '[.]spec[.]ts$';

const within = (folders) => `^src/(?:${folders.join('|')})/`;

const downward = FLOORS.map((folders, floor) => ({
  name: `floor-${floor}-imports-downward`,
  comment: `Import only from the floors below ${folders.join(', ')}.`,
  severity: 'error',
  from: { path: within(folders), pathNot: SPEC },
  to: { path: '^src/', pathNot: within(FLOORS.slice(0, floor + 1).flat()) },
}));

const neighbours = FLOORS.filter((folders) => folders.length > 1).flatMap((folders) =>
  folders.map((folder) => ({
    name: `${folder.replace('modules/', '')}-leaves-its-neighbours-alone`,
    comment: 'Modules of one floor never import each other; what both need belongs a floor below.',
    severity: 'error',
    from: { path: within([folder]), pathNot: SPEC },
    to: { path: within(folders.filter((other) => other !== folder)) },
  })),
);

/**
 * The rooms of a part, lowest first: a room imports only from rooms below it, and never from a file beside the rooms, but
 * for what is declared in those that are named first.
 */
const ROOMS = {
  core: [
    'migrations',
    'clock',
    'tables',
    'leadership',
    'state',
    'projection',
    'journal',
    'commit',
    'view',
    'followers',
    'requests',
    'keys',
    'accounts',
    'reads',
    'proof',
    'consumers',
    'term',
    'sequencer',
    'replica',
    'outbox',
    'ledger-check',
  ],
  'modules/auth': [
    'migrations',
    'errors.ts',
    'names',
    'words',
    'secrets',
    'guard',
    'api-keys',
    'clients',
    'passkeys',
    'signatures',
    'credentials',
    'memberships',
    'signed-keys',
    'tokens',
    'identity',
    'oauth',
    'owned',
    'tickets',
    'factors',
    'authorize',
    'mailed',
    'sessions',
  ],
  'modules/markets': [
    'migrations',
    'errors.ts',
    'names',
    'policies',
    'fees',
    'market-data',
    'market-days',
    'orders',
    'settlements',
    'streams',
    'event-groups',
    'fills',
    'mass-quotes',
    'order-lists',
    'webhook-events',
    'holdings',
    'cancel-switches',
    'operators',
    'assets',
    'order-sockets',
    'account-stream',
  ],
};

const inRooms = (part, rooms) =>
  rooms.map((room) => `^src/${part}/${room}${room.endsWith('.ts') ? '$' : '/'}`);

const rooms = Object.entries(ROOMS).flatMap(([part, order]) => [
  ...order.map((room, place) => ({
    name: `${part.replace('modules/', '')}/${room}-imports-downward`,
    comment: `Import only from the rooms before it in ROOMS; what it needs of a later one belongs further down, or is a port.`,
    severity: 'error',
    from: { path: inRooms(part, [room]), pathNot: SPEC },
    to: { path: `^src/${part}/`, pathNot: inRooms(part, order.slice(0, place + 1)) },
  })),
  {
    name: `${part.replace('modules/', '')}-rooms-have-a-place`,
    comment: 'Say in ROOMS where a new room stands.',
    severity: 'error',
    from: { path: `^src/${part}/[^/]+/`, pathNot: inRooms(part, order) },
    to: {},
  },
]);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...downward,
    ...neighbours,
    ...rooms,
    {
      name: 'core-is-in-rooms',
      comment:
        'Beside the rooms of the core is what a reader opens first: its module, its service and its types.',
      severity: 'error',
      from: { path: '^src/core/[^/]+$', pathNot: '^src/core/core[.](?:module|service|types)[.]ts$' },
      to: {},
    },
    {
      name: 'modules-have-a-floor',
      comment: 'Say in FLOORS on which floor a new module stands.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: within(FLOORS.flat()) },
      to: {},
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports nothing outward; a hash is arithmetic, the rest of Node is not.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: SPEC },
      to: { pathNot: ['^src/', '^(?:node:)?crypto$'] },
    },
    {
      name: 'core-knows-no-protocol',
      comment: 'The core answers with codes; statuses, headers, DTOs and routes are of the edge.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: SPEC },
      to: {
        path: [
          '^src/kit/(?:http|server)/',
          '^(?:node_modules/)?(?:@nestjs/swagger|@types/express|express|class-validator)(?:/|$)',
        ],
      },
    },
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one file, or want a third below both.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'console-is-a-client',
      comment:
        'The console knows the service by its public routes alone: it imports the typed client and nothing of src, but for how catalogs of words are read.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(?:src|test|bench|scripts|examples|plugins)/', pathNot: '^src/domain/words/' },
    },
    {
      name: 'nobody-imports-the-console',
      comment: 'The service serves its built files; nothing else knows it.',
      severity: 'error',
      from: { pathNot: '^console/' },
      to: { path: '^console/' },
    },
    {
      name: 'service-stands-alone',
      comment: 'The service never needs its tests, benchmarks, scripts, examples or plugins.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { path: '^(?:test|bench|scripts|examples|plugins|lint)/' },
    },
    {
      name: 'production-dependencies-only',
      comment: 'What src imports is installed with `npm ci --omit=dev`.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'migrations-are-history',
      comment: 'A migration that has run must mean the same for ever: it imports no code that may change.',
      severity: 'error',
      from: { path: '^src/.*/migrations/\\d' },
      to: { path: '^src/' },
    },
    {
      name: 'traces-are-loaded-late',
      comment: 'What makes and exports spans is loaded where an exporter is set, by one dynamic import.',
      severity: 'error',
      from: { path: '^src/', pathNot: [SPEC, '^src/kit/tracing/otlp-tracing[.]ts$'] },
      to: {
        path: ['^src/kit/tracing/otlp-tracing[.]ts$', '^(?:node_modules/)?@opentelemetry/'],
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'imports-resolve',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Types are imports too: a floor that knows another's types knows the floor.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
