import { FileStore } from '../../kit/files/file-store.js';
import { ImageFiles } from '../../kit/files/images/image-files.js';
import { ImagesModule } from '../../kit/files/images/images.module.js';
import { BlogEntryEntity, BlogEntryTagEntity, BlogFormerSlugEntity } from './entries/blog-entry.entity.js';
import { BlogAuthorEntity, BlogCategoryEntity, BlogTagEntity } from './entries/blog-label.entity.js';
import { EntryReader } from './entries/entry-reader.js';
import { BlogController } from './feeds/blog.controller.js';
import { SitemapController } from './feeds/sitemap.controller.js';
import { FeedsService } from './feeds/feeds.service.js';
import { SitemapService } from './feeds/sitemap.service.js';
import { BlogImageEntity } from './images/blog-image.entity.js';
import { BlogImagesController } from './images/blog-images.controller.js';
import { BlogImagesService } from './images/blog-images.service.js';
import { AdminBlogImagesController } from './images/admin-blog-images.controller.js';
import { AdminBlogPagesController } from './pages/admin-blog-pages.controller.js';
import { PageAuthoringService } from './pages/page-authoring.service.js';
import { PagesController } from './pages/pages.controller.js';
import { PagesService } from './pages/pages.service.js';
import { AdminBlogPostsController } from './posts/admin-blog-posts.controller.js';
import { PostAuthoringService } from './posts/post-authoring.service.js';
import { PostsController } from './posts/posts.controller.js';
import { CategoriesController } from './posts/categories.controller.js';
import { PostsService } from './posts/posts.service.js';
import { AdminBlogPreviewController } from './previews/admin-blog-preview.controller.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { PAGE_IDS, POST_IDS } from './ids.js';
import { BlogDemo } from './blog-demo.js';

/** The Blog group: posts, pages, their feeds, and how operators write them. */
@TradepostModule({
  name: 'blog',
  demoData: [BlogDemo],
  idPrefixes: [POST_IDS, PAGE_IDS],
  entities: [
    BlogEntryEntity,
    BlogEntryTagEntity,
    BlogFormerSlugEntity,
    BlogCategoryEntity,
    BlogTagEntity,
    BlogAuthorEntity,
    BlogImageEntity,
  ],
  imports: [ImagesModule],
  controllers: [
    PostsController,
    CategoriesController,
    PagesController,
    BlogController,
    SitemapController,
    BlogImagesController,
    AdminBlogPostsController,
    AdminBlogPagesController,
    AdminBlogImagesController,
    AdminBlogPreviewController,
  ],
  providers: [
    EntryReader,
    PostsService,
    PagesService,
    FeedsService,
    SitemapService,
    BlogImagesService,
    PostAuthoringService,
    PageAuthoringService,
    {
      provide: ImageFiles,
      useFactory: (files: FileStore) => new ImageFiles(files, 'blog'),
      inject: [FileStore],
    },
  ],
})
export class BlogModule {}
