import type { DynamicModule, Type } from '@nestjs/common';
import { FieldCatalogue } from '../../src/kit/fields/field-catalogue.js';

class PartsOfKit {}
class NoFields {}

/** No plugin adds any. */
const NO_FIELDS: DynamicModule = {
  module: NoFields,
  providers: [{ provide: FieldCatalogue, useValue: new FieldCatalogue([]) }],
  exports: [FieldCatalogue],
};

/** Some modules of the kit, for each other and for every module of a test, as `KitModule` has all of them. */
export function partsOfKit(...parts: (Type | DynamicModule)[]): DynamicModule {
  const all = [...parts, NO_FIELDS];
  return { module: PartsOfKit, global: true, imports: all, exports: all };
}
