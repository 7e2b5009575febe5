import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'oxlint';

/** What would make the same commands give other events on another day or another machine. */
const IMPURE_GLOBALS = [
  'Date',
  'crypto',
  'fetch',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

/** Nest's decorators for one status each. */
const ERROR_RESPONSES =
  '^Api(BadRequest|Unauthorized|Forbidden|NotFound|MethodNotAllowed|Conflict|PreconditionFailed|PayloadTooLarge|UnprocessableEntity|TooManyRequests|ServiceUnavailable)Response$';

const SCRIPTS = ['**/*.js', '**/*.mjs', '**/*.cjs'];
const SPECS = ['**/*.spec.ts', 'test/**/*.ts'];

/** What is still to be divided; nothing may be added. */
const LONG_FILES = ['src/modules/webhooks/delivery/webhooks.spec.ts'];
const GENERATED = ['src/openapi/generated/**'];
const LONG_FUNCTIONS = ['src/modules/banking/rails/payout-files.service.ts'];

/** What stands below the groups, and names one all the same. */
const NAMES_A_GROUP = [
  // What the journal holds has these words for ever.
  'src/domain/engine/**',
  // Rules of one group alone, which stand in the domain to be as pure as the rest of it.
  'src/domain/banking/**',
  // All kinds of receipts that answers may carry; who makes them stands above all groups.
  'src/kit/http/receipts/carried-receipt.ts',
  // Whom limits count is in the shared memory by this word.
  'src/kit/rate-limit/rate-limits.ts',
  // Of the protocol of sockets.
  'src/kit/realtime/asyncapi/asyncapi-document.ts',
  'src/kit/realtime/socket-authentication.ts',
  // The routes of operators begin alike, of all groups.
  'src/kit/server/openapi/{operation-ids,operations}.ts',
  // What operators are told that is lost without the passphrase.
  'src/kit/vault/{keystore,passphrase}.ts',
  // What settings mean, in words for people.
  'src/kit/config/settings/service.ts',
];

/** Here time decides what is committed, signed, paid, published or deleted for good. */
const BY_KNOWN_CLOCKS = [
  'src/core/**/*.ts',
  'src/modules/banking/{payouts,rails}/**/*.ts',
  'src/modules/{accounts,exchange,markets,proof}/**/*.ts',
  'src/kit/jobs/**/*.ts',
];
/** Times that are told and decide nothing, and waits that cost nothing where they are wrong. */
const BY_WALL_CLOCK = [
  'src/core/outbox/outbox.ts',
  'src/core/proof/journal-keys.ts',
  'src/core/replica/replica.ts',
  'src/modules/accounts/members/*.ts',
  'src/modules/accounts/opening/sub-accounts.service.ts',
  'src/modules/banking/payouts/payout-steps.service.ts',
  'src/modules/markets/account-stream/*.ts',
  'src/modules/markets/assets/time.controller.ts',
  'src/modules/markets/fees/fee-schedules.service.ts',
  'src/modules/markets/market-data/market-catalog.service.ts',
  'src/modules/markets/streams/*.ts',
  'src/modules/proof/liabilities/shown-assets.service.ts',
];

const NO_NODE_PROCESS = {
  name: 'node:process',
  message: 'Use the global, whose env is out of bounds here.',
};

export default defineConfig({
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['typescript'],
  jsPlugins: ['./lint/house-rules.js'],
  categories: { correctness: 'error' },
  ignorePatterns: ['**/dist/', 'coverage/', '.cache/', 'data/', 'test/tooling/fixtures/'],
  rules: {
    'no-array-constructor': 'error',
    'no-case-declarations': 'error',
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-prototype-builtins': 'error',
    'no-regex-spaces': 'error',
    'no-unexpected-multiline': 'error',
    'no-useless-assignment': 'error',
    'no-useless-constructor': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    'preserve-caught-error': 'error',
  },
  overrides: [
    {
      files: SCRIPTS,
      env: { builtin: true },
      globals: { process: 'readonly', module: 'readonly', require: 'readonly' },
      rules: { 'no-undef': 'error' },
    },
    {
      files: ['**/*.ts', '**/*.tsx'],
      rules: {
        eqeqeq: ['error', 'always', { null: 'ignore' }],
        'no-console': 'error',
        'no-unused-vars': [
          'error',
          { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
        ],
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/no-confusing-void-expression': [
          'error',
          { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
        ],
        'typescript/no-deprecated': 'error',
        'typescript/no-dynamic-delete': 'error',
        'typescript/no-empty-object-type': 'error',
        'typescript/no-explicit-any': 'error',
        'typescript/no-extraneous-class': ['error', { allowWithDecorator: true }],
        'typescript/no-generated-empty-object-type': 'error',
        'typescript/no-invalid-void-type': 'error',
        'typescript/no-misused-promises': 'error',
        'typescript/no-mixed-enums': 'error',
        'typescript/no-namespace': 'error',
        'typescript/no-non-null-asserted-nullish-coalescing': 'error',
        'typescript/no-require-imports': 'error',
        'typescript/no-unnecessary-boolean-literal-compare': 'error',
        'typescript/no-unnecessary-condition': 'error',
        'typescript/no-unnecessary-template-expression': 'error',
        'typescript/no-unnecessary-type-arguments': 'error',
        'typescript/no-unnecessary-type-assertion': 'error',
        'typescript/no-unnecessary-type-constraint': 'error',
        'typescript/no-unnecessary-type-conversion': 'error',
        'typescript/no-unnecessary-type-parameters': 'error',
        'typescript/no-unsafe-argument': 'error',
        'typescript/no-unsafe-assignment': 'error',
        'typescript/no-unsafe-call': 'error',
        'typescript/no-unsafe-enum-assignment': 'error',
        'typescript/no-unsafe-enum-comparison': 'error',
        'typescript/no-unsafe-function-type': 'error',
        'typescript/no-unsafe-member-access': 'error',
        'typescript/no-unsafe-return': 'error',
        'typescript/only-throw-error': ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
        'typescript/prefer-literal-enum-member': 'error',
        'typescript/prefer-promise-reject-errors': 'error',
        'typescript/prefer-reduce-type-parameter': 'error',
        'typescript/prefer-return-this-type': 'error',
        'typescript/related-getter-setter-pairs': 'error',
        'typescript/require-await': 'error',
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/restrict-template-expressions': [
          'error',
          {
            allowNumber: true,
            allowBoolean: true,
            allow: [{ from: 'file', name: 'Amount', path: 'src/domain/money/amount.ts' }],
          },
        ],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        'typescript/unified-signatures': 'error',
        // DTOs are classes for their decorators; what answers with one is an object of its shape.
        'typescript/no-misused-spread': 'off',
        // Figures and texts that a test sorts to compare them need no order of their own.
        'typescript/require-array-sort-compare': 'off',
        // Does not know branded bigints.
        'typescript/no-unsafe-unary-minus': 'off',
      },
    },
    {
      files: ['**/*.ts', '**/*.tsx'],
      excludeFiles: decoratedFiles(),
      rules: { 'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }] },
    },
    {
      files: ['src/**/*.ts'],
      excludeFiles: SPECS,
      rules: {
        'no-restricted-properties': [
          'error',
          {
            object: 'process',
            property: 'env',
            message: 'Settings are read in src/kit/config/config.ts alone: inject CONFIG.',
          },
        ],
        'no-restricted-imports': ['error', NO_NODE_PROCESS],
      },
    },
    {
      files: ['src/modules/**/*.ts'],
      excludeFiles: SPECS,
      rules: {
        // The whole rule: of two that match a file, the later one counts.
        'no-restricted-imports': [
          'error',
          {
            paths: [NO_NODE_PROCESS],
            patterns: [
              {
                group: ['@nestjs/swagger'],
                importNamePattern: ERROR_RESPONSES,
                message: 'Use ApiErrors, which has each code’s status from the one table.',
              },
            ],
          },
        ],
      },
    },
    {
      files: ['examples/**/*.ts', 'plugins/**/*.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                group: ['**/src/**', '!**/src/index.js'],
                message: 'Plugins are made of the public interface alone, which others import as tradepost.',
              },
            ],
          },
        ],
      },
    },
    {
      files: ['src/kit/config/config.ts'],
      rules: { 'no-restricted-properties': 'off' },
    },
    {
      files: ['src/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
      excludeFiles: [...GENERATED, ...LONG_FILES],
      rules: { 'max-lines': ['error', 400] },
    },
    {
      files: ['src/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
      // A `describe` is no function in this sense, and a migration is a list of statements that stays as it ran.
      excludeFiles: [...SPECS, 'src/**/migrations/**', ...LONG_FUNCTIONS],
      rules: { 'max-lines-per-function': ['error', 70] },
    },
    {
      files: ['src/core/**/*.ts', 'src/domain/**/*.ts'],
      // More than these come as an object, whose fields have names.
      rules: { 'max-params': ['error', 6] },
    },
    {
      files: ['src/domain/**/*.ts'],
      excludeFiles: SPECS,
      rules: {
        'no-restricted-globals': [
          'error',
          ...IMPURE_GLOBALS.map((name) => ({
            name,
            message: 'Time, chance and the outside come in the command.',
          })),
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Math', property: 'random', message: 'The engine is deterministic.' },
        ],
      },
    },
    {
      files: ['src/{domain,kit}/**/*.ts'],
      excludeFiles: [...SPECS, ...NAMES_A_GROUP],
      rules: { 'tradepost/kit-names-no-group': 'error' },
    },
    {
      files: ['src/**/*.ts'],
      excludeFiles: [...SPECS, 'src/core/**'],
      rules: { 'tradepost/core-writes-alone': 'error' },
    },
    {
      files: BY_KNOWN_CLOCKS,
      excludeFiles: [...SPECS, ...BY_WALL_CLOCK],
      rules: { 'tradepost/clocks-are-known': 'error' },
    },
    {
      files: ['src/**/*.ts'],
      excludeFiles: [...SPECS, 'src/kit/database/**'],
      rules: { 'tradepost/connections-are-known': 'error' },
    },
    {
      files: ['src/**/*.ts'],
      excludeFiles: SPECS,
      rules: { 'tradepost/turns-between-owners': 'error' },
    },
    {
      files: SPECS,
      rules: {
        // What a test reads from a response is `any` until an expectation has looked at it.
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/no-extraneous-class': 'off',
        'typescript/no-unnecessary-condition': 'off',
        'typescript/restrict-plus-operands': 'off',
        'no-unused-expressions': ['error', { allowTaggedTemplates: true }],
        'typescript/require-await': 'off',
        'typescript/unbound-method': 'off',
      },
    },
    {
      files: ['scripts/**', 'bench/**', ...SPECS],
      rules: { 'no-console': 'off' },
    },
  ],
});

/** Nest and TypeORM read the imports of these at run time, as types of constructors and columns. */
function decoratedFiles(): string[] {
  return globSync('{bench,examples,plugins,scripts,src,templates,test}/**/*.ts').filter((path) =>
    /^ *@[A-Z]\w*\(/m.test(readFileSync(path, 'utf8')),
  );
}
