/** The view of a bot as its author might draw it: the same in every picture, in the colours that the page tells it. */
export const FIXED_VIEW = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Alerts</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 1.25rem; font: 15px/1.5 sans-serif; background: light-dark(#fff, #16191d); color: light-dark(#16191d, #e9ecef); }
  h1 { margin: 0 0 1rem; font-size: 1.2rem; }
  li { display: grid; grid-template-columns: 5rem 1fr; gap: 1rem; margin-bottom: 0.5rem; }
  ul { padding: 0; list-style: none; }
  .bar { display: block; height: 1rem; border-radius: 3px; background: light-dark(#2557c7, #8fb0ff); }
</style>
<main>
<h1>Prices that were watched</h1>
<ul>
  <li>AAPL <span class="bar" style="width: 80%"></span></li>
  <li>MSFT <span class="bar" style="width: 55%"></span></li>
  <li>NVDA <span class="bar" style="width: 30%"></span></li>
</ul>
<button type="button">News about AAPL</button>
</main>
<script>
  document.querySelector('button').onclick = () => {
    const params = { url: 'https://news.example.com/search?symbol=AAPL&from=2026-03-01' };
    window.parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/open-link', params }, '*');
  };
</script>
</html>
`;
