import type { Rule } from 'eslint';

export const CORE_ENTITIES: readonly string[];
export const coreWritesAlone: Rule.RuleModule;
