import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, CurrentPrincipal, RequireScopes, type Principal } from 'tradepost';
import { NOTES_SCOPE, TOO_MANY_NOTES } from './names.js';
import { AcmeLoyaltyNoteDto, AcmeLoyaltyWriteNoteDto } from './note.dto.js';
import { NotesService } from './notes.service.js';

@ApiTags('acme-loyalty')
@RequireScopes({ anyOf: [NOTES_SCOPE] })
@Controller('acme-loyalty/notes')
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  @Post()
  @ApiOperation({ summary: 'Write a note' })
  @ApiCreatedResponse({ type: AcmeLoyaltyNoteDto })
  @ApiErrors(TOO_MANY_NOTES)
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() { text }: AcmeLoyaltyWriteNoteDto,
  ): Promise<AcmeLoyaltyNoteDto> {
    return this.notes.create(principal, text);
  }

  @Get()
  @ApiOperation({ summary: 'List own notes' })
  @ApiOkResponse({ type: [AcmeLoyaltyNoteDto] })
  list(@CurrentPrincipal() principal: Principal): Promise<AcmeLoyaltyNoteDto[]> {
    return this.notes.list(principal);
  }
}
