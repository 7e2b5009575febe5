import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { coreWritesAlone } from './eslint/core-writes-alone.js';

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

const SPECS = ['**/*.spec.ts', 'test/**/*.ts'];

/**
 * What speaks to services through the clients of others, whose types take much memory to follow. The compiler checks
 * them all the same.
 */
const USERS_OF_GREAT_CLIENTS = [
  'test/e2e/fix/engine.spec.ts',
  'test/e2e/plugins/binance-spot/**/*.ts',
  'test/long/bots/**/*.ts',
  'test/support/clients/binance-clients.ts',
  'test/support/clients/jspurefix-client.ts',
];

/** What is still to be divided; nothing may be added. */
const LONG_FILES = ['src/platform/webhooks/webhooks.spec.ts'];
const LONG_FUNCTIONS = ['src/modules/banking/rails/payout-files.service.ts'];

export default defineConfig(
  {
    ignores: [
      '**/dist/',
      'node_modules/',
      'coverage/',
      '.cache/',
      'data/',
      'test/tooling/fixtures/',
      'packages/client/src/generated/',
      'src/platform/server/openapi/generated/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: { process: 'readonly', module: 'readonly' } },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { tradepost: { rules: { 'core-writes-alone': coreWritesAlone } } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      // Files with decorators are left alone by the rule itself: Nest reads their imports at run time.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/only-throw-error': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        {
          allowNumber: true,
          allowBoolean: true,
          allow: [{ from: 'file', name: 'Amount', path: 'src/domain/money/amount.ts' }],
        },
      ],
      // With noUncheckedIndexedAccess, `!` is how code says that an index was checked before.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // DTOs are classes for their decorators; what answers with one is an object of its shape.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      // Does not know branded bigints.
      '@typescript-eslint/no-unsafe-unary-minus': 'off',
      // `(error: NodeJS.ErrnoException)` says which errors a rejected file operation carries.
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: SPECS,
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Settings are read in src/platform/config/config.ts alone: inject CONFIG.',
        },
      ],
      'no-restricted-imports': [
        'error',
        { name: 'node:process', message: 'Use the global, whose env is out of bounds here.' },
      ],
    },
  },
  {
    files: ['src/modules/**/*.ts'],
    ignores: SPECS,
    rules: {
      // The whole rule: of two that match a file, the later one counts.
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'node:process', message: 'Use the global, whose env is out of bounds here.' }],
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
              regex: '/src/(?!index[.]js$)',
              message: 'Plugins are made of the public interface alone, which others import as tradepost.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: [...SPECS, 'src/platform/database/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          "CallExpression[callee.property.name='createQueryRunner']",
          "CallExpression[callee.property.name='connect'][callee.object.name='pool']",
          "CallExpression[callee.property.name='connect'][callee.object.property.name='pool']",
        ].map((selector) => ({
          selector,
          message: 'Use inTransaction or DataSource.transaction: so it is known who holds a connection.',
        })),
        {
          selector: "NewExpression[callee.object.name='pg'][callee.property.name='Client']",
          message: 'Use PrimaryClient, which finds the primary.',
        },
      ],
    },
  },
  {
    files: ['src/platform/config/config.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['src/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
    ignores: LONG_FILES,
    rules: { 'max-lines': ['error', 400] },
  },
  {
    files: ['src/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
    // A `describe` is no function in this sense, and a migration is a list of statements that stays as it ran.
    ignores: [...SPECS, 'src/migrations/**', ...LONG_FUNCTIONS],
    rules: { 'max-lines-per-function': ['error', 70] },
  },
  {
    files: ['src/core/**/*.ts', 'src/domain/**/*.ts'],
    // More than these come as an object, whose fields have names.
    rules: { 'max-params': ['error', 6] },
  },
  {
    files: ['src/domain/**/*.ts'],
    ignores: SPECS,
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
    files: ['src/**/*.ts'],
    ignores: [...SPECS, 'src/core/**'],
    rules: { 'tradepost/core-writes-alone': 'error' },
  },
  {
    files: SPECS,
    rules: {
      // What a test reads from a response is `any` until an expectation has looked at it.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
      '@typescript-eslint/no-unused-expressions': ['error', { allowTaggedTemplates: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['scripts/**', 'bench/**', ...SPECS],
    rules: { 'no-console': 'off' },
  },
  {
    files: USERS_OF_GREAT_CLIENTS,
    extends: [tseslint.configs.disableTypeChecked],
  },
);
