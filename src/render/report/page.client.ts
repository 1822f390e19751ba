/**
 * The page's script: layout of the timelines, the detail card, keys. Everything it shows comes from the markup, through
 * `textContent`, `dataset` and clones; it never makes markup from text.
 */
export const PAGE_SCRIPT = String.raw`'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const lanes = all('.lane');
  const card = byId('card');
  let current = null;
  let pinned = false;
  document.documentElement.classList.add('js');

  // Each picture is in the page once, on a timeline; other places borrow it.
  const pictureOf = (id) => { const image = byId(id)?.querySelector('img'); return image ? image.src : ''; };
  for (const place of all('img[data-picture]')) {
    const source = pictureOf(place.dataset.picture);
    if (source) place.src = source; else place.classList.add('blank');
  }
  for (const film of all('video[data-poster]')) {
    const source = pictureOf(film.dataset.poster);
    if (source) film.poster = source;
  }

  // Timelines: cells grow by their ticks; a track is as wide as the page, or wider when shots would be slivers.
  const READABLE = 46, COMFORTABLE = 92;
  const clock = (seconds) => {
    const whole = Math.floor(seconds + 1e-6), two = (value) => String(value).padStart(2, '0');
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    return hours ? hours + ':' + two(minutes) + ':' + two(whole % 60) : minutes + ':' + two(whole % 60);
  };
  const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
  const drawRuler = (lane, width) => {
    const seconds = Number(lane.dataset.seconds);
    const ruler = lane.querySelector('.ruler');
    const step = STEPS.find((each) => (each / seconds) * width >= 72) ?? 3600;
    ruler.replaceChildren();
    for (let at = 0; at <= seconds && width > 0; at += step) {
      const x = (at / seconds) * width;
      if (at > 0 && x > width - 34) break;
      const mark = document.createElement('span');
      mark.textContent = clock(at);
      mark.style.left = x + 'px';
      ruler.append(mark);
    }
  };
  const ticksOf = (cell) => { const [start, end] = cell.dataset.ticks.split(' ').map(Number); return end - start; };
  const moveWindow = (lane) => {
    const scroll = lane.querySelector('.scroll');
    lane.querySelector('.window').style.left = (100 * scroll.scrollLeft) / scroll.scrollWidth + '%';
  };
  const layOut = (lane, room, whole) => {
    const track = lane.querySelector('.track');
    const shareOfMedian = Number(lane.dataset.median) / Number(lane.dataset.seconds);
    const fits = whole || shareOfMedian * room >= READABLE || !(shareOfMedian > 0);
    const width = fits ? room : Math.max(room, COMFORTABLE / shareOfMedian);
    track.style.width = fits ? '100%' : Math.round(width) + 'px';
    // Few shots get taller pictures; a cell still wider than its picture shows the whole picture.
    const aspect = Number(lane.dataset.aspect), tall = aspect < 0.9;
    const height = Math.min(tall ? 168 : 116, Math.max(tall ? 112 : 60, (shareOfMedian * width) / aspect));
    lane.style.setProperty('--strip', Math.round(height) + 'px');
    const pixelsPerTick = width / Number(lane.dataset.ticks);
    for (const shot of all('.shot', lane)) {
      shot.classList.toggle('roomy', ticksOf(shot) * pixelsPerTick > height * aspect * 1.12);
    }
    lane.classList.toggle('dense', shareOfMedian * width < 8);
    lane.querySelector('.overview').hidden = fits;
    drawRuler(lane, width);
    lane.querySelector('.window').style.width = (100 * room) / width + '%';
  };
  for (const lane of lanes) {
    for (const cell of all('.shots > [data-ticks]', lane)) {
      cell.style.flex = ticksOf(cell) + ' 1 0px';
    }
    const scroll = lane.querySelector('.scroll'), overview = lane.querySelector('.overview');
    scroll.addEventListener('scroll', () => { moveWindow(lane); if (!pinned) hide(); }, { passive: true });
    const seekTo = (event) => {
      const area = overview.getBoundingClientRect();
      scroll.scrollLeft = ((event.clientX - area.left) / area.width) * scroll.scrollWidth - scroll.clientWidth / 2;
    };
    overview.addEventListener('pointerdown', (event) => { overview.setPointerCapture(event.pointerId); seekTo(event); });
    overview.addEventListener('pointermove', (event) => { if (event.buttons & 1) seekTo(event); });
  }
  // Measured once: every timeline is as wide as the first, and measuring between changes would lay the page out each time.
  const layOutAll = (whole) => {
    const room = lanes.length > 0 ? lanes[0].getBoundingClientRect().width : 0;
    for (const lane of lanes) layOut(lane, room, whole === true);
  };
  layOutAll();
  let shownWidth = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === shownWidth) return;
    shownWidth = innerWidth;
    layOutAll();
    if (current) place(current);
  });

  // The card: a preview under the pointer or focus; a click or Enter pins it.
  const say = (id, text) => { byId(id).textContent = text; };
  const percent = (part) => (part > 0 && part < 0.005 ? '< 1' : String(Math.round(part * 100))) + ' %';
  const place = (shot) => {
    const lane = shot.closest('.lane').getBoundingClientRect(), cell = shot.getBoundingClientRect();
    const width = card.offsetWidth, height = card.offsetHeight, middle = cell.left + cell.width / 2;
    const left = Math.max(lane.left, Math.min(middle - width / 2, lane.right - width));
    const above = cell.bottom + height + 38 > innerHeight && lane.top - height - 10 > 0;
    card.classList.toggle('above', above);
    card.style.setProperty('--tip', Math.min(Math.max(12, middle - left), width - 12) + 'px');
    card.style.left = left + scrollX + 'px';
    card.style.top = (above ? lane.top - height - 10 : cell.bottom + 28) + scrollY + 'px';
  };
  const show = (shot) => {
    const lane = shot.closest('.lane'), section = shot.closest('.video');
    const shots = all('.shot', lane), data = shot.dataset;
    if (current) current.classList.remove('current');
    current = shot;
    shot.classList.add('current');
    const number = shots.indexOf(shot) + 1, own = Number(data.own), relative = Number(data.relative);
    const chosen = shot.classList.contains('chosen');
    say('card-title', 'Shot ' + number);
    const wish = shot.classList.contains('vetoed') ? 'vetoed' : chosen ? 'chosen' : 'not chosen';
    say('card-mark', shot.classList.contains('pinned') ? 'pinned' : wish);
    card.classList.toggle('is-chosen', chosen);
    say('card-clock', data.clock);
    say('card-why', data.reason);
    say('card-rank', data.rank + ' of ' + shots.length);
    say('card-score', data.score + ' · ' + percent(relative) + ' of the strongest');
    const [firstFrame, endFrame] = data.frames.split(' ').map(Number);
    say('card-frames', firstFrame + ' to ' + (endFrame - 1));
    say('card-ticks', '[' + data.ticks.replace(' ', ', ') + ') × ' + lane.dataset.base + ' s · ' + data.length + ' s');
    byId('card-own').setAttribute('width', 100 * relative * own);
    byId('card-shared').setAttribute('x', 100 * relative * own);
    byId('card-shared').setAttribute('width', 100 * relative * (1 - own));
    const [ownPart, sharedPart] = byId('card-parts').children;
    ownPart.textContent = 'own ' + percent(relative > 0 ? own : 0);
    sharedPart.textContent = 'shared ' + percent(relative > 0 ? 1 - own : 0);
    const source = pictureOf(shot.id), image = byId('card-image');
    image.hidden = !source;
    byId('card-blank').hidden = Boolean(source);
    if (source) image.src = source; else image.removeAttribute('src');
    const backing = byId('w' + shot.id.slice(1)), support = byId('card-support');
    support.replaceChildren();
    if (backing && backing.firstElementChild) {
      const title = document.createElement('h3');
      title.textContent = 'Also seen in';
      support.append(title, ...Array.from(backing.children, (child) => child.cloneNode(true)));
    }
    card.setAttribute('aria-description', section.querySelector('h2').textContent);
    card.hidden = false;
    card.classList.toggle('pinned', pinned);
    place(shot);
  };
  const hide = () => {
    card.hidden = true;
    pinned = false;
    if (current) current.classList.remove('current');
    current = null;
  };
  const aim = (shot) => {
    for (const other of all('.shot[tabindex="0"]', shot.closest('.shots'))) other.tabIndex = -1;
    shot.tabIndex = 0;
  };
  const bring = (shot) => {
    const scroll = shot.closest('.scroll'), left = shot.offsetLeft, right = left + shot.offsetWidth;
    if (left < scroll.scrollLeft || right > scroll.scrollLeft + scroll.clientWidth) {
      scroll.scrollLeft = left - (scroll.clientWidth - shot.offsetWidth) / 2;
    }
  };
  const pin = (shot) => { pinned = true; aim(shot); bring(shot); show(shot); card.focus({ preventScroll: true }); };
  const jump = (shot) => {
    shot.closest('.lane').scrollIntoView({ block: 'center' });
    pin(shot);
  };
  const neighbour = (shot, step, chosenOnly) => {
    const shots = all('.shot', shot.closest('.shots'));
    for (let at = shots.indexOf(shot) + step; at >= 0 && at < shots.length; at += step) {
      if (!chosenOnly || shots[at].classList.contains('chosen')) return shots[at];
    }
    return shot;
  };
  const go = (from, to) => {
    if (pinned) return pin(to);
    aim(to);
    bring(to);
    to.focus({ preventScroll: true });
    if (to !== from) show(to);
  };

  let lastSpot = '';
  for (const lane of lanes) {
    // A page scrolled under a resting pointer sends moves too: only a pointer that really moved is asking.
    lane.addEventListener('pointermove', (event) => {
      const spot = event.screenX + ' ' + event.screenY, shot = event.target.closest('.shot');
      if (spot === lastSpot) return;
      lastSpot = spot;
      if (shot && shot !== current && !pinned && event.pointerType === 'mouse') show(shot);
    });
    lane.addEventListener('pointerleave', () => { if (!pinned && !lane.contains(document.activeElement)) hide(); });
    lane.addEventListener('focusin', (event) => {
      const shot = event.target.closest('.shot');
      if (shot && !pinned && shot.matches(':focus-visible')) { aim(shot); bring(shot); show(shot); }
    });
    lane.addEventListener('focusout', (event) => { if (!pinned && !card.contains(event.relatedTarget)) hide(); });
  }
  document.addEventListener('click', (event) => {
    const target = event.target;
    const link = target.closest('[data-jump]'), player = target.closest('[data-play]'), shot = target.closest('.shot');
    if (link && byId(link.dataset.jump)) { event.preventDefault(); return jump(byId(link.dataset.jump)); }
    if (player) return play(byId('f' + player.dataset.play), Number(player.dataset.at));
    if (shot) return pinned && shot === current ? close() : pin(shot);
    if (!card.contains(target) && !card.hidden) hide();
  });
  // Focus would show the card again, so it is hidden once more.
  const close = () => { const shot = current; hide(); if (shot) shot.focus({ preventScroll: true }); hide(); };
  byId('card-close').addEventListener('click', close);
  byId('card-back').addEventListener('click', () => go(current, neighbour(current, -1, false)));
  byId('card-next').addEventListener('click', () => go(current, neighbour(current, 1, false)));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && !card.hidden) { event.preventDefault(); return close(); }
    const shot = pinned && card.contains(event.target) ? current : event.target.closest?.('.shot');
    if (!shot) return;
    const shots = all('.shot', shot.closest('.shots'));
    const next = { ArrowRight: () => neighbour(shot, 1, event.shiftKey), ArrowLeft: () => neighbour(shot, -1, event.shiftKey),
      Home: () => shots[0], End: () => shots[shots.length - 1] }[event.key];
    if (next) { event.preventDefault(); go(shot, next()); }
  });

  const play = (film, seconds) => {
    const start = () => { film.currentTime = seconds; film.play().catch(() => {}); };
    film.scrollIntoView({ block: 'nearest' });
    if (film.readyState > 0) return start();
    film.addEventListener('loadedmetadata', start, { once: true });
    film.load();
    film.preload = 'metadata';
    film.play().catch(() => {});
  };

  // On paper there is no scrolling and nothing to open.
  addEventListener('beforeprint', () => {
    hide();
    for (const details of all('details:not([open])')) { details.open = true; details.dataset.printed = ''; }
    layOutAll(true);
  });
  addEventListener('afterprint', () => {
    for (const details of all('details[data-printed]')) { details.open = false; delete details.dataset.printed; }
    layOutAll();
  });
})();
`;
