import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A secret key of the house, sealed; see `Fingerprints`. */
@Entity('banking_keys')
export class BankingKeyEntity {
  @PrimaryColumn({ name: 'key_name', type: 'text', primaryKeyConstraintName: 'banking_keys_pkey' })
  keyName: string;

  @Column({ name: 'sealed_key', type: 'bytea' })
  sealedKey: Buffer;
}
