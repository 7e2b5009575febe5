/** Reports a connection that is taken beside the ways that know who holds one, and which server is the primary. */
export const connectionsAreKnown = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      taken: 'Use inTransaction or DataSource.transaction: so it is known who holds a connection.',
      made: 'Use PrimaryClient, which finds the primary.',
    },
  },
  create(context) {
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== 'MemberExpression') return;
        const method = callee.property.name;
        const receiver = callee.object.property ?? callee.object;
        if (method === 'createQueryRunner' || (method === 'connect' && receiver.name === 'pool'))
          context.report({ node, messageId: 'taken' });
      },
      NewExpression(node) {
        const { callee } = node;
        if (callee.object?.name === 'pg' && callee.property.name === 'Client')
          context.report({ node, messageId: 'made' });
      },
    };
  },
};
