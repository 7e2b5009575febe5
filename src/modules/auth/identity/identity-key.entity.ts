import { Entity } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** A secret key of the house, sealed; see `RenewalSecrets`. */
@Entity('identity_keys')
export class IdentityKeyEntity {
  @key.text() keyName: string;
  @column.bytes() sealedKey: Buffer;
}
