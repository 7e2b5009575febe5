/** Reports the wall clock where something is decided by time that cannot be taken back. */
export const clocksAreKnown = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      wall: 'Use Clock, or AgreedTime in a schedule: the wall clock may be set. See docs/operating.md, Clocks.',
    },
  },
  create(context) {
    const report = (node) => context.report({ node, messageId: 'wall' });
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== 'MemberExpression') return;
        if (callee.object.name === 'Date' && callee.property.name === 'now') report(node);
      },
      NewExpression(node) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) report(node);
      },
    };
  },
};
