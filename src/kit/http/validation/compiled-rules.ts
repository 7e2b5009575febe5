/**
 * class-validator's rules, compiled once for each class. The decorators and their own constraints still decide;
 * compiling saves the walk over the metadata, the grouping and the error objects of every request. This code only
 * accepts: a refusal goes to the real ValidationPipe, which words the error.
 */
import type { Type } from '@nestjs/common';
import {
  TransformationType,
  type TransformFnParams,
  type TransformOptions,
  type TypeMetadata,
} from 'class-transformer';
import { defaultMetadataStorage as transformStorage } from 'class-transformer/cjs/storage.js';
import { IS_OPTIONAL, ValidationTypes, getMetadataStorage, type ValidationArguments } from 'class-validator';
import type { ConstraintMetadata } from 'class-validator/types/metadata/ConstraintMetadata.js';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import { nullMeansSomething } from './null-means-something.js';

type Fields = Record<string, unknown>;

export interface CompiledRules {
  /** Drops members that are null where null means absent; returns the source itself if there are none. */
  omitNulls(source: Fields): Fields;
  /** A new instance with the fields of `source`, defaults and conversions in place; `undefined` for an unknown field. */
  build(source: Fields): object | undefined;
  /** Whether the instance of `build` passes every rule. */
  check(instance: object): boolean;
}

interface Check {
  readonly constraint: ConstraintMetadata['instance'];
  readonly constraints: unknown[];
  readonly each: boolean;
  readonly appliesTo: ((object: object, value: unknown) => boolean) | undefined;
}

interface FieldRules {
  readonly name: string;
  /** Whether `null` means absent: optional, and not `@NullMeansSomething()`. */
  readonly omitsNull: boolean;
  /** If one fails, the field is not validated (`@IsOptional`, `@ValidateIf`). */
  readonly conditions: readonly ((object: object, value: unknown) => boolean)[];
  readonly checks: readonly Check[];
  readonly conversions: readonly ((params: TransformFnParams) => unknown)[];
  readonly nested: CompiledRules | undefined;
}

/** Thrown inside the compiler for a rule that only the real pipe can run. */
class NotCompilable extends Error {}

/**
 * The compiled rules of a class; `undefined` if it uses what only the real pipe supports (groups, promises, `@Expose`,
 * …).
 */
export function compileRules(type: Type): CompiledRules | undefined {
  try {
    return compile(type, new Map());
  } catch (error) {
    if (error instanceof NotCompilable) return undefined;
    throw error;
  }
}

function compile(type: Type, known: Map<Type, CompiledRules>): CompiledRules {
  const before = known.get(type);
  if (before) return before;
  if (transformStorage.getStrategy(type) !== 'none') throw new NotCompilable();
  if (transformStorage.getExposedMetadatas(type).length > 0) throw new NotCompilable();
  if (transformStorage.getExcludedMetadatas(type).length > 0) throw new NotCompilable();

  const fields: FieldRules[] = [];
  const rules = rulesOver(type, fields);
  // Set before its fields are compiled, so that a class may nest itself.
  known.set(type, rules);
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(type, type.name, false, false);
  for (const [name, ofField] of Object.entries(storage.groupByPropertyName(metadata))) {
    fields.push(compileField(type, name, ofField, known));
  }
  return rules;
}

function rulesOver(type: Type, fields: readonly FieldRules[]): CompiledRules {
  const targetName = type.name;
  return {
    omitNulls(source) {
      let kept = source;
      for (const { name, omitsNull, nested } of fields) {
        const value = Object.hasOwn(source, name) ? source[name] : undefined;
        const inner = nested ? omitNullsWithin(value, nested) : value;
        if (inner === value && !(value === null && omitsNull)) continue;
        if (kept === source) kept = { ...source };
        if (inner === null) Reflect.deleteProperty(kept, name);
        else kept[name] = inner;
      }
      return kept;
    },
    build(source) {
      const instance = new type() as Fields;
      let found = 0;
      for (const field of fields) {
        const value = source[field.name];
        // Only own properties: a name of Object.prototype exists on every object.
        if (value === undefined || !Object.hasOwn(source, field.name)) continue;
        found++;
        const built = field.nested ? buildNested(value, field.nested) : value;
        if (built === undefined) return undefined;
        instance[field.name] = convert(built, field, source);
      }
      return countFields(source) === found ? instance : undefined;
    },
    check(instance) {
      for (const field of fields) {
        if (!checkField(field, instance as Fields, targetName)) return false;
      }
      return true;
    },
  };
}

function compileField(
  type: Type,
  name: string,
  metadata: readonly ValidationMetadata[],
  known: Map<Type, CompiledRules>,
): FieldRules {
  const conditions: FieldRules['conditions'][number][] = [];
  const checks: Check[] = [];
  let isNested = false;
  let isOptional = false;
  for (const rule of metadata) {
    if (isGrouped(rule)) throw new NotCompilable();
    switch (rule.type) {
      case ValidationTypes.CUSTOM_VALIDATION:
      case ValidationTypes.IS_DEFINED:
        checks.push(...compileChecks(rule));
        break;
      case ValidationTypes.CONDITIONAL_VALIDATION:
        isOptional ||= rule.name === IS_OPTIONAL;
        conditions.push(rule.constraints[0] as FieldRules['conditions'][number]);
        break;
      case ValidationTypes.NESTED_VALIDATION:
        isNested = true;
        break;
      case ValidationTypes.WHITELIST:
        break;
      default:
        throw new NotCompilable();
    }
  }
  const conversions = transformStorage
    .findTransformMetadatas(type, name, TransformationType.PLAIN_TO_CLASS)
    .map((transform) => {
      const options = transform.options as TransformOptions | undefined;
      if (isGrouped(options) || options?.since !== undefined || options?.until !== undefined)
        throw new NotCompilable();
      return transform.transformFn;
    });
  return {
    name,
    omitsNull: isOptional && !nullMeansSomething(type, name),
    conditions,
    checks,
    conversions,
    nested: compileNested(type, name, isNested, known),
  };
}

/** The types say that groups always exist; at run time they often do not. */
function isGrouped(declared: { groups?: string[] } | undefined): boolean {
  return declared?.groups !== undefined && declared.groups.length > 0;
}

function compileChecks(rule: ValidationMetadata): Check[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .map((constraint) => {
      if (constraint.async) throw new NotCompilable();
      return {
        constraint: constraint.instance,
        constraints: rule.constraints,
        each: rule.each,
        appliesTo: rule.validateIf,
      };
    });
}

function compileNested(
  type: Type,
  name: string,
  isNested: boolean,
  known: Map<Type, CompiledRules>,
): CompiledRules | undefined {
  const declared = transformStorage.findTypeMetadata(type, name) as Partial<TypeMetadata> | undefined;
  if (!isNested && !declared) return undefined;
  // A nested rule needs a class, and a class a nested rule.
  if (!isNested || !declared?.typeFunction || declared.options?.discriminator) throw new NotCompilable();
  return compile((declared.typeFunction as () => Type)(), known);
}

function omitNullsWithin(value: unknown, rules: CompiledRules): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => omitNullsWithin(item, rules));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return typeof value === 'object' && value !== null ? rules.omitNulls(value as Fields) : value;
}

/** Objects become instances, arrays are mapped; `check` refuses anything else. */
function buildNested(value: unknown, rules: CompiledRules): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      const built = buildNested(item, rules);
      if (built === undefined) return undefined;
      items.push(built);
    }
    return items;
  }
  return typeof value === 'object' && value !== null ? rules.build(value as Fields) : value;
}

function convert(value: unknown, field: FieldRules, source: Fields): unknown {
  let converted = value;
  for (const conversion of field.conversions) {
    converted = conversion({
      value: converted,
      key: field.name,
      obj: source,
      type: TransformationType.PLAIN_TO_CLASS,
      options: {},
    });
  }
  return converted;
}

function checkField(field: FieldRules, instance: Fields, targetName: string): boolean {
  const value = instance[field.name];
  for (const condition of field.conditions) {
    if (!condition(instance, value)) return true;
  }
  for (const check of field.checks) {
    if (!holds(check, field.name, value, instance, targetName)) return false;
  }
  return field.nested === undefined || value === undefined || checkNested(value, field.nested);
}

function holds(check: Check, property: string, value: unknown, object: object, targetName: string): boolean {
  if (check.appliesTo && !check.appliesTo(object, value)) return true;
  const args: ValidationArguments = { targetName, property, object, value, constraints: check.constraints };
  if (!check.each || !Array.isArray(value)) return check.constraint.validate(value, args) === true;
  return value.every((item) => check.constraint.validate(item, args) === true);
}

function checkNested(value: unknown, rules: CompiledRules): boolean {
  if (Array.isArray(value)) return value.every((item) => checkNested(item, rules));
  return typeof value === 'object' && value !== null && rules.check(value);
}

function countFields(source: Fields): number {
  let count = 0;
  for (const _name in source) count++;
  return count;
}
