import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiResponseSchemaHost } from '@nestjs/swagger';
import { IsObject, Matches } from 'class-validator';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { IsLabel } from '../../../kit/http/validation/is-label.js';
import type { PasskeyEntity } from './passkey.entity.js';

const NAME_LENGTH_MAX = 100;

/** What goes to the browser's WebAuthn as it is. */
export const OPTIONS_SCHEMA = {
  type: 'object',
  properties: { challenge: { type: 'string' } },
  required: ['challenge'],
  additionalProperties: true,
} satisfies ApiResponseSchemaHost['schema'];

/** What comes from the browser's WebAuthn as it is. */
export const CREDENTIAL_SCHEMA = {
  type: 'object',
  additionalProperties: true,
  example: {
    id: '6nE7Pz0b2m4kYq1rT8sXUw',
    rawId: '6nE7Pz0b2m4kYq1rT8sXUw',
    type: 'public-key',
    response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0' },
    clientExtensionResults: {},
  },
} as const;

/** A text of one line that shows as it is. */
function IsName(): PropertyDecorator {
  const message = '$property must not have control or formatting characters';
  return applyDecorators(IsLabel(NAME_LENGTH_MAX), Matches(/^\P{C}*$/u, { message }));
}

/** The body of `PATCH /user/passkeys/{passkey_id}`. */
export class RenamePasskeyDto {
  /**
   * By which its user knows it.
   * @example "Phone"
   */
  @IsName()
  name: string;
}

/** The body of `POST /user/passkeys`. */
export class CreatePasskeyDto extends RenamePasskeyDto {
  /** The credential of `navigator.credentials.create()`, as its `toJSON()` gives it. */
  @ApiProperty(CREDENTIAL_SCHEMA)
  @IsObject()
  response: Record<string, unknown>;
}

/** The body of `POST /user/passkeys/log-in`. */
export class PasskeyLogInDto {
  /** The credential of `navigator.credentials.get()`, as its `toJSON()` gives it. */
  @ApiProperty(CREDENTIAL_SCHEMA)
  @IsObject()
  response: Record<string, unknown>;
}

/** A passkey of one's own. */
export class PasskeyDto {
  /** @example "psk_00000000001" */
  passkey_id: string;

  /** @example "Phone" */
  name: string;

  /**
   * How browsers reach it, as it says.
   * @example ["internal"]
   */
  transports: string[];

  /**
   * The model of its authenticator, as it says; zeros for many.
   * @example "00000000-0000-0000-0000-000000000000"
   */
  aaguid: string;

  /** Whether it is kept beyond its device, as it says. */
  is_backed_up: boolean;

  created_at: string;

  /** Null before its first use. */
  last_used_at: string | null;
}

/** A passkey that was just registered. */
export class CreatedPasskeyDto extends PasskeyDto {
  /**
   * For who has lost the passkey, shown this once: each is good for one log-in beside the password. Null where the user had
   * a second factor, and so recovery codes, before.
   * @example ["1f0c-92ab-77de-0c41-9b35"]
   */
  @ApiProperty({ type: [String], nullable: true })
  recovery_codes: string[] | null;
}

export function toPasskeyDto(passkey: PasskeyEntity): PasskeyDto {
  return {
    ...fieldsOf(passkey, 'passkeyId', 'name', 'transports', 'aaguid', 'isBackedUp', 'createdAt'),
    ...fieldsOf(passkey, 'lastUsedAt'),
  };
}
