// The overview as it changes. The browser connects again by itself; where the node refuses, since too many listen, this asks from time to time.
const AGAIN_MILLIS = 15000;

export class Live {
  constructor(heard) {
    this.heard = heard;
    this.source = null;
    this.again = 0;
  }

  get connected() {
    return this.source?.readyState === EventSource.OPEN;
  }

  start() {
    if (this.source) {
      return;
    }
    clearTimeout(this.again);
    const source = new EventSource('api/live');
    this.source = source;
    source.addEventListener('overview', (event) => this.heard(JSON.parse(event.data)));
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED && this.source === source) {
        this.source = null;
        this.again = setTimeout(() => this.start(), AGAIN_MILLIS);
      }
    });
  }

  stop() {
    clearTimeout(this.again);
    this.source?.close();
    this.source = null;
  }
}
