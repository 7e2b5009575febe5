/**
 * Explicit conversion of query parameters. They arrive as text (a repeated one as an array), and nothing is guessed:
 * `0x10`, `1e3`, ` 1` and repeated parameters are not converted, and so are refused.
 */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';

const PLAIN_INTEGER = /^(0|[1-9]\d{0,15})$/;

/** An optional whole number between `min` and `max`; a property initializer gives its default. */
export function QueryInteger(min: number, max: number, description?: string): PropertyDecorator {
  return combine(IsOptional(), integer(min, max, { required: false, description }));
}

/** A whole number between `min` and `max` that must be there. */
export function RequiredQueryInteger(min: number, max: number, description?: string): PropertyDecorator {
  return integer(min, max, { required: true, description, example: min });
}

function integer(
  min: number,
  max: number,
  documented: {
    readonly required: boolean;
    readonly description: string | undefined;
    readonly example?: number;
  },
): PropertyDecorator {
  return combine(
    ApiProperty({ type: 'integer', minimum: min, maximum: max, ...documented }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && PLAIN_INTEGER.test(value) ? Number(value) : value,
    ),
    IsInt(),
    Min(min),
    Max(max),
  );
}

/** An optional `true` or `false`, in exactly these letters. */
export function QueryBoolean(description?: string): PropertyDecorator {
  return combine(
    ApiPropertyOptional({ type: Boolean, description }),
    IsOptional(),
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    IsBoolean(),
  );
}

/** An optional text of 1 to `maxLength` characters. */
export function QueryText(maxLength: number, description?: string): PropertyDecorator {
  return combine(
    ApiPropertyOptional({ type: String, minLength: 1, maxLength, description }),
    IsOptional(),
    IsString(),
    MinLength(1),
    MaxLength(maxLength),
  );
}

/** Documents a parameter that takes any of these values, separated by commas. */
export function ApiQueryChoices(values: readonly string[], description: string): PropertyDecorator {
  // The library passes on what else a parameter of OpenAPI has, but its types are those of a field.
  const separatedByCommas = { style: 'form', explode: false };
  return ApiPropertyOptional({ enum: [...values], isArray: true, description, ...separatedByCommas });
}

function combine(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorator of decorators) decorator(target, property);
  };
}
