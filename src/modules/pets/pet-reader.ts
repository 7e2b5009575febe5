import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../kit/config/config.js';
import type { Row } from '../../kit/database/rows.js';
import { NOT_FOUND } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { imageUrlOf } from './images/pet-image-url.js';
import type { FindPetsByStatusQueryDto, FindPetsByTagsQueryDto, PetDto, PetLabelDto } from './pet.dto.js';
import type { PetEntity } from './pet.entity.js';

interface PetRow extends Row<PetEntity, 'petId' | 'name' | 'status'> {
  readonly category: PetLabelDto | null;
  readonly tags: readonly PetLabelDto[];
  readonly photos: readonly { readonly url: string | null; readonly image_name: string | null }[];
}

/** One statement, so that the answer is consistent. */
const SELECT_PETS = `
  SELECT pet.pet_id, pet.name, pet.status,
    (SELECT json_build_object('id', category.category_id, 'name', category.name)
      FROM pet_categories category WHERE category.category_id = pet.category_id) AS category,
    (SELECT coalesce(json_agg(json_build_object('id', tag.tag_id, 'name', tag.name) ORDER BY link.position), '[]')
      FROM pet_tag_links link JOIN pet_tags tag USING (tag_id) WHERE link.pet_id = pet.pet_id) AS tags,
    (SELECT coalesce(json_agg(json_build_object('url', url, 'image_name', image_name) ORDER BY position), '[]')
      FROM pet_photos photo WHERE photo.pet_id = pet.pet_id) AS photos
  FROM pets pet`;

/** The pets as callers see them. Lists have the highest id first. */
@Injectable()
export class PetReader {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The pet, as the given transaction sees it. Throws `not_found` (404). */
  async get(petId: number, manager: EntityManager = this.dataSource.manager): Promise<PetDto> {
    const [pet] = await this.read(manager, 'WHERE pet.pet_id = $1', [petId]);
    if (!pet) throw petNotFound(petId);
    return pet;
  }

  /** Reads no more than a page of each status, however many pets there are. */
  findByStatus({ status, limit, before }: FindPetsByStatusQueryDto): Promise<PetDto[]> {
    return this.read(
      this.dataSource.manager,
      `WHERE pet.pet_id IN (
        SELECT found.pet_id FROM unnest($1::text[]) wanted (status), LATERAL (
          SELECT pet_id FROM pets WHERE status = wanted.status AND pet_id < $2
          ORDER BY pet_id DESC LIMIT $3
        ) found
      )
      ORDER BY pet.pet_id DESC LIMIT $3`,
      [[...new Set(status)], before ?? BEYOND_IDS, limit],
    );
  }

  /** As `findByStatus`. A tag may have a comma in its name, so each text is looked for whole and in parts. */
  findByTags({ tags, limit, before }: FindPetsByTagsQueryDto): Promise<PetDto[]> {
    const names = new Set(tags.flatMap((text) => [text, ...text.split(',')]));
    return this.read(
      this.dataSource.manager,
      `WHERE pet.pet_id IN (
        SELECT found.pet_id FROM pet_tags tag, LATERAL (
          SELECT pet_id FROM pet_tag_links WHERE tag_id = tag.tag_id AND pet_id < $2
          ORDER BY pet_id DESC LIMIT $3
        ) found
        WHERE tag.name = ANY ($1)
      )
      ORDER BY pet.pet_id DESC LIMIT $3`,
      [[...names], before ?? BEYOND_IDS, limit],
    );
  }

  private async read(manager: EntityManager, condition: string, parameters: unknown[]): Promise<PetDto[]> {
    const rows = await manager.query<PetRow[]>(`${SELECT_PETS} ${condition}`, parameters);
    return rows.map((row) => ({
      id: Number(row.pet_id),
      ...(row.category && { category: row.category }),
      name: row.name,
      photoUrls: row.photos.map(
        ({ url, image_name }) => url ?? imageUrlOf(this.config.publicUrl, image_name ?? ''),
      ),
      tags: [...row.tags],
      status: row.status,
    }));
  }
}

/** 2^53, one more than an id can be. */
const BEYOND_IDS = Number.MAX_SAFE_INTEGER + 1;

export function petNotFound(petId: number): ApiError {
  return new ApiError(NOT_FOUND, `There is no pet ${petId}; see GET /pet/findByStatus.`);
}
