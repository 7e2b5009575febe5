import { Entity } from 'typeorm';
import { column, key } from '../../kit/database/columns.js';

/** A secret key of the house, sealed; see `Fingerprints`. */
@Entity('banking_keys')
export class BankingKeyEntity {
  @key.text() keyName: string;
  @column.bytes() sealedKey: Buffer;
}
