import {
  Injectable,
  Optional,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
  type ValidationError,
} from '@nestjs/common';
import { ApiError, type FieldError } from '../errors.js';
import { BodyFields, type TakenFields } from './body-fields.js';
import { compileRules, type CompiledRules } from './compiled-rules.js';
import { messagesOf } from './validation-messages.js';

const NATIVE_TYPES: ReadonlySet<unknown> = new Set([String, Boolean, Number, Array, Object, Buffer, Date]);

/** Whether values of this declared type are validated; primitive types pass unchanged. */
export function isValidatedType(metatype: unknown): metatype is Type {
  return metatype !== undefined && !NATIVE_TYPES.has(metatype);
}

/** The validation rules: no undeclared field, no undeclared conversion. */
export function createReferencePipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => ApiError.validation(fieldErrorsOf(errors)),
  });
}

/**
 * Validates bodies and queries by the class-validator rules of their DTO. The compiled rules decide; the real
 * ValidationPipe words a refusal, and handles classes that cannot be compiled. A null in an optional field counts as
 * absent, except with `@NullMeansSomething()`. Throws `validation_failed` (400) with a detail for each broken rule, and one for a missing field.
 */
@Injectable()
export class CompiledValidationPipe implements PipeTransform {
  private readonly reference = createReferencePipe();
  private readonly rulesOfType = new Map<Type, CompiledRules | undefined>();

  /** Without `fields`, those that plugins declare are unknown. */
  constructor(@Optional() private readonly fields?: BodyFields) {}

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { metatype, type } = metadata;
    if (type === 'custom' || !isValidatedType(metatype)) return value;
    const taken = isObject(value) ? this.fields?.take(metatype, value) : undefined;
    if (taken === undefined) return this.validate(value, metatype, metadata);
    return withFields(this.validate(taken.rest, metatype, metadata), taken);
  }

  private validate(value: unknown, metatype: Type, metadata: ArgumentMetadata): unknown {
    const rules = this.rulesOf(metatype);
    if (rules === undefined) return this.reference.transform(value, metadata);
    const given = value ?? {};
    if (typeof given !== 'object' || Array.isArray(given)) return this.reference.transform(value, metadata);
    const source = rules.omitNulls(given as Record<string, unknown>);
    const instance = rules.build(source);
    return instance !== undefined && rules.check(instance)
      ? instance
      : this.reference.transform(source, metadata);
  }

  private rulesOf(metatype: Type): CompiledRules | undefined {
    if (!this.rulesOfType.has(metatype)) this.rulesOfType.set(metatype, compileRules(metatype));
    return this.rulesOfType.get(metatype);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds the fields to a DTO, as its member `fields`, which no caller can give. */
function withFields(validated: unknown, { fields }: TakenFields): unknown {
  if (fields === undefined) return validated;
  if (validated instanceof Promise) return validated.then((dto: object) => Object.assign(dto, { fields }));
  return Object.assign(validated as object, { fields });
}

/** class-validator's tree of errors as a flat list, with paths such as `orders.3.price`. */
export function fieldErrorsOf(errors: readonly ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = parent === '' ? error.property : `${parent}.${error.property}`;
    const own = messagesOf(error).map((message) => ({ field, message }));
    return [...own, ...fieldErrorsOf(error.children ?? [], field)];
  });
}
