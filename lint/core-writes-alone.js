import ts from 'typescript';

/**
 * Entities of tables that the core's single writer owns. Groups declare them to read; a row written beside
 * the writer would be in no journal, no book and no sum.
 */
export const CORE_ENTITIES = [
  'AccountChangeEntity',
  'BalanceEntity',
  'EventGroupEntity',
  'MarketBookEntity',
  'MarketEntity',
  'MatchedBetEntity',
  'OrderEntity',
  'PositionEntity',
  'SetLegEntity',
  'SettlementEntity',
  'TradeEntity',
  'TransferEntity',
];

const WRITING_METHODS = new Set([
  'clear',
  'decrement',
  'delete',
  'deleteAll',
  'increment',
  'insert',
  'into',
  'recover',
  'remove',
  'restore',
  'save',
  'softDelete',
  'softRemove',
  'update',
  'updateAll',
  'upsert',
]);

/**
 * Reports a write to one of `CORE_ENTITIES`, by type and not by name: through its repository, through a query
 * builder of it, or through an entity manager that is handed the class.
 */
export const coreWritesAlone = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { write: 'Only the core writes the table of {{entity}}: send it a command.' },
  },
  create(context) {
    const { program, checker } = types();
    const file = program.getSourceFile(context.filename);
    if (file === undefined) return {};
    const typeOf = ({ range }) => checker.getTypeAtLocation(nodeAt(file, range));

    const coreEntity = (type) => {
      const name = type?.getSymbol()?.getName();
      return CORE_ENTITIES.includes(name) ? name : undefined;
    };
    /** The entity that a `Repository<Entity>` or a query builder of it is for. */
    const entityBehind = (receiver) => coreEntity(typeOf(receiver).typeArguments?.[0]);
    /** The entity whose class, instance or instances are the argument. */
    const entityOf = (argument) => {
      const type = typeOf(argument);
      return coreEntity(type) ?? coreEntity(checker.getIndexInfosOfType(type)[0]?.type);
    };

    return {
      CallExpression(node) {
        const {
          callee,
          arguments: [first],
        } = node;
        if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
        if (!WRITING_METHODS.has(callee.property.name)) return;
        const receiver = typeOf(callee.object);
        // A Map or a Set of entities is nobody's table.
        if (['Map', 'Set', 'WeakMap', 'WeakSet'].includes(receiver.getSymbol()?.getName())) return;
        const entity = entityBehind(callee.object) ?? (first && entityOf(first));
        if (entity) context.report({ node, messageId: 'write', data: { entity } });
      },
    };
  },
};

/** The types of the whole project, which are read once. */
let read;
function types() {
  if (read === undefined) {
    const host = {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
      },
    };
    const { fileNames, options } = ts.getParsedCommandLineOfConfigFile('tsconfig.json', {}, host);
    const program = ts.createProgram(
      fileNames.filter((name) => SHIPPED.test(name)),
      options,
    );
    read = { program, checker: program.getTypeChecker() };
  }
  return read;
}

/** What the rule looks at: no specs, whose clients of other services have large types. */
const SHIPPED = /\/src\/(?!.*[.]spec[.]ts$)/;

/** The innermost node of the compiler that covers exactly this text. */
function nodeAt(file, [start, end]) {
  let found = file;
  const descend = (node) => {
    if (node.getStart(file) > start || node.getEnd() < end) return;
    found = node;
    node.forEachChild(descend);
  };
  file.forEachChild(descend);
  return found;
}
