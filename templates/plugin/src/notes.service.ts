import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ApiError, MetricsRegistry, Settings, type Principal } from 'tradepost';
import { Repository } from 'typeorm';
import { NOTES_MAX, NOTES_TOTAL, TOO_MANY_NOTES } from './names.js';
import { toNoteDto, type AcmeLoyaltyNoteDto } from './note.dto.js';
import { NoteEntity } from './note.entity.js';

@Injectable()
export class NotesService {
  private readonly written;

  constructor(
    @InjectRepository(NoteEntity) private readonly notes: Repository<NoteEntity>,
    private readonly settings: Settings,
    metrics: MetricsRegistry,
  ) {
    this.written = metrics.counter(NOTES_TOTAL);
  }

  /** Throws `acme_loyalty_too_many_notes` (409). */
  async create({ accountOwner: owner }: Principal, text: string): Promise<AcmeLoyaltyNoteDto> {
    const note = await this.notes.manager.transaction(async (manager) => {
      // One at a time for each owner, so that the count stays right.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('acme_loyalty ' || $1, 0))`, [
        owner,
      ]);
      const most = this.settings.get(NOTES_MAX);
      if ((await manager.countBy(NoteEntity, { owner })) >= most) {
        throw new ApiError(TOO_MANY_NOTES, `You have ${most} notes already.`);
      }
      return manager.save(manager.create(NoteEntity, { owner, text }));
    });
    this.written.inc();
    return toNoteDto(note);
  }

  /** Own notes, newest first; as many as there may be, so a page of them is no use. */
  async list({ accountOwner: owner }: Principal): Promise<AcmeLoyaltyNoteDto[]> {
    const notes = await this.notes.find({ where: { owner }, order: { noteId: 'DESC' } });
    return notes.map(toNoteDto);
  }
}
