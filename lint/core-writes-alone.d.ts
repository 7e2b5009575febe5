export const CORE_ENTITIES: readonly string[];
