/** Libraries that let work wait in the order in which it came, whoever it is of. */
const QUEUES_WITHOUT_OWNERS = new Set([
  'async-mutex',
  'async-sema',
  'bottleneck',
  'fastq',
  'p-limit',
  'p-queue',
]);

/**
 * Reports a queue that knows no owners: the executor of a promise that is put into a list until somebody has time for
 * it. Whoever comes first with enough would keep all others waiting.
 */
export const turnsBetweenOwners = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { queue: 'Use TurnQueue or TurnQueues of src/kit/turns, whose owners take turns.' },
  },
  create(context) {
    /** The functions that are executors of promises, innermost last. */
    const executors = [];
    const enter = (node) => {
      const { parent } = node;
      if (parent.type === 'NewExpression' && parent.callee.name === 'Promise') executors.push(node);
    };
    const exit = (node) => {
      if (executors.at(-1) === node) executors.pop();
    };
    return {
      ArrowFunctionExpression: enter,
      FunctionExpression: enter,
      'ArrowFunctionExpression:exit': exit,
      'FunctionExpression:exit': exit,
      CallExpression(node) {
        const { callee } = node;
        const isPut =
          callee.type === 'MemberExpression' && ['push', 'unshift'].includes(callee.property.name);
        const resolve = executors.at(-1)?.params[0]?.name;
        const put = node.arguments.map((argument) => context.sourceCode.getText(argument)).join();
        if (isPut && resolve !== undefined && put.split(/\W+/).includes(resolve))
          context.report({ node, messageId: 'queue' });
      },
      ImportDeclaration(node) {
        if (QUEUES_WITHOUT_OWNERS.has(node.source.value)) context.report({ node, messageId: 'queue' });
      },
    };
  },
};
