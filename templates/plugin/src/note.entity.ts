import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('acme_loyalty_notes')
export class NoteEntity {
  /** An int8, which TypeORM reads as a string. */
  @PrimaryGeneratedColumn('identity', { name: 'note_id', type: 'bigint' })
  noteId: string;

  /** See `Principal.accountOwner`. */
  @Column({ type: 'text' })
  owner: string;

  @Column({ type: 'text' })
  text: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
