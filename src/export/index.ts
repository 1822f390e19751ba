/** export: what people take away. Films, storyboards and the report, from a summary; it does not know how shots were chosen. */
export { FILM_VERSION, filmFrames, renderFilm, type Film } from './film.js';
export { renderReport } from './report.js';
export { drawStoryboard, type Storyboard, type StoryboardShot } from './storyboard.js';
