import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What groups are about, where another word than their name says it. */
const THINGS = ['kyc', 'payout', 'wallet', 'pet'];

/**
 * Names of groups that are words of their own below them, too: accounts of the ledger and of the machine, rate limits, key
 * stores, proofs of the journal. These count only at the start of a route, a scope, an event or a file.
 */
const COMMON = new Set([
  'accounts',
  'admin',
  'auth',
  'exchange',
  'limits',
  'markets',
  'news',
  'proof',
  'store',
  'users',
  'webhooks',
]);

/** The folders of `src/modules`, and what they are about. */
function namesIn(root) {
  const groups = readdirSync(join(root, 'src/modules'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return new Set([...groups, ...THINGS, ...THINGS.map((thing) => `${thing}s`)]);
}

/** `payout_rail`, `payoutRail` and `PayoutRail` have the words payout and rail. */
function wordsOf(text) {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** Reports what a floor that holds no group says of one: by a folder, a name or a text. */
export const kitNamesNoGroup = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      group:
        '"{{ word }}" is of a group, which nothing below it names. Let the group declare it, or hand it in.',
    },
  },
  create(context) {
    const root = context.cwd ?? process.cwd();
    const names = namesIn(root);
    const named = (text) => wordsOf(text).find((word) => names.has(word) && !COMMON.has(word));
    const begun = (text) => {
      const [, start] = /^\/?([a-z-]+)[/:.]/.exec(text) ?? [];
      return names.has(start) ? start : undefined;
    };
    const report = (node, word) => {
      if (word !== undefined) context.report({ node, messageId: 'group', data: { word } });
    };
    const text = (node, value) => report(node, named(value) ?? begun(value));
    return {
      Program(node) {
        const [, , ...path] = context.filename.slice(root.length + 1).split('/');
        report(node, named(path.join('/').replace(/\.ts$/, '')));
      },
      Identifier(node) {
        report(node, named(node.name));
      },
      Literal(node) {
        if (typeof node.value === 'string' && !node.value.startsWith('.')) text(node, node.value);
      },
      TemplateElement(node) {
        text(node, node.value.raw);
      },
    };
  },
};
