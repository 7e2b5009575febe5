import type { DynamicModule, Type } from '@nestjs/common';

class PartsOfKit {}

/** Some modules of the kit, for each other and for every module of a test, as `KitModule` has all of them. */
export function partsOfKit(...parts: (Type | DynamicModule)[]): DynamicModule {
  return { module: PartsOfKit, global: true, imports: parts, exports: parts };
}
