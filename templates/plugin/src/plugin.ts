import { TradepostPlugin } from 'tradepost';
import { CreateAcmeLoyaltyNotes1790000000000 } from './create-notes.migration.js';
import { NOTES_MAX, NOTES_SCOPE, NOTES_TOTAL, TOO_MANY_NOTES } from './names.js';
import { NoteEntity } from './note.entity.js';
import { NotesController } from './notes.controller.js';
import { NotesService } from './notes.service.js';

@TradepostPlugin({
  name: 'acme-loyalty',
  compatibility: '^0.1.0',
  controllers: [NotesController],
  providers: [NotesService],
  entities: [NoteEntity],
  migrations: [CreateAcmeLoyaltyNotes1790000000000],
  scopes: [NOTES_SCOPE],
  errorCodes: [TOO_MANY_NOTES],
  settings: [NOTES_MAX],
  metrics: [NOTES_TOTAL],
})
export default class AcmeLoyaltyPlugin {}
