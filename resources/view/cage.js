// The cage of a view: runs in the document that the dashboard shows in a frame without an origin, before any code of the
// view. It closes what the policy of that document leaves open, and then writes the view into the same document.
(() => {
  const { elements, markup } = document.currentScript.dataset;
  const owner = window.parent;
  // Opened by itself it is a page with a sentence: nobody could send it a view.
  if (owner === window) return;

  const { apply } = Reflect;
  const { exec } = RegExp.prototype;
  // The code of a view may replace every function that it can reach, so these are called without looking any up.
  const matches = (pattern, text) => apply(exec, pattern, [text]) !== null;
  const tell = (method, params) => owner.postMessage({ jsonrpc: '2.0', method, params }, '*');
  const tellReady = (params) => tell('ui/notifications/sandbox-proxy-ready', params);
  const fix = (holder, name, value) =>
    Object.defineProperty(holder, name, { value, writable: false, configurable: false, enumerable: true });

  /** What connects without asking the policy, and what makes elements of texts that `createHTML` below never sees. */
  const WITHOUT_POLICY =
    /^(?:webkit|moz)?RTC|^WebTransport|^(?:XSLTProcessor|DOMParser|Sanitizer|Presentation|PaymentRequest|IdentityCredential)/;
  const MAKES_ELEMENTS = /^(?:open|close|write|writeln|execCommand)$|HTML/;
  const JUDGED = /^(?:insertAdjacentHTML|getHTML|innerHTML|outerHTML)$/;
  const SCRIPT_OF_VIEW = /^(?:HTML|SVG)ScriptElement |^Element /;
  /** With these keys a click on a link opens another tab, which no sandbox keeps a browser from. */
  const KEYS = ['ctrlKey', 'metaKey', 'shiftKey', 'altKey'];

  function removeFunctions(holder) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (MAKES_ELEMENTS.test(name) && !JUDGED.test(name)) delete holder[name];
    }
  }

  /** Refuses forbidden elements wherever a name becomes one: argument `at` of a method. */
  function guardNames(method, at) {
    const named = new RegExp(`^(?:.*:)?(?:${elements})$`, 'is');
    const original = Document.prototype[method];
    const create = function (first, second) {
      const name = `${at === 0 ? first : second}`;
      if (matches(named, name)) throw new TypeError(`A view may not have the element <${name}>`);
      return apply(original, this, at === 0 ? [name] : [first, name]);
    };
    fix(Document.prototype, method, create);
  }

  function judgeTexts() {
    const forbidden = new RegExp(markup, 'i');
    window.trustedTypes.createPolicy('default', {
      createHTML: (html) => {
        if (matches(forbidden, html)) throw new TypeError(`A view may not have these elements: ${elements}`);
        return html;
      },
      // No address that begins with javascript: it would make a document of a text, with everything in it again.
      createScript: (script, _type, sink) => (matches(SCRIPT_OF_VIEW, sink) ? script : null),
    });
    for (const kind of [window.TrustedHTML, window.TrustedScript, window.TrustedScriptURL]) delete kind.fromLiteral;
  }

  /** Closes everything, and gives the functions that write the view. */
  function close() {
    const { open, write, close: finish } = Document.prototype;
    judgeTexts();
    for (const name of Object.getOwnPropertyNames(window)) if (WITHOUT_POLICY.test(name)) delete window[name];
    for (const holder of [Document, Document.prototype, Element.prototype, ShadowRoot.prototype])
      removeFunctions(holder);
    guardNames('createElement', 0);
    guardNames('createElementNS', 1);
    // It makes the first element of a new document itself.
    delete DOMImplementation.prototype.createDocument;
    // They lead the whole window elsewhere, not the frame alone.
    for (const name of ['back', 'forward', 'go']) delete History.prototype[name];
    // An element of one's own that extends a forbidden one would be made by its class.
    const { define } = CustomElementRegistry.prototype;
    fix(CustomElementRegistry.prototype, 'define', function (name, kind) {
      return apply(define, this, [name, kind]);
    });
    return { open, write, finish, guardView: guardEvents() };
  }

  /** Gives a function that keeps clicks from opening tabs, and other windows from talking with the view. It must be the first to see both. */
  function guardEvents() {
    const { preventDefault, stopImmediatePropagation } = Event.prototype;
    const sender = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'source').get;
    const { addEventListener } = EventTarget.prototype;
    const pressed = KEYS.map((key) => Object.getOwnPropertyDescriptor(MouseEvent.prototype, key).get);
    const [ctrl, meta, shift, alt] = pressed;
    const isDown = (key, event) => apply(key, event, []);
    const onClick = (event) => {
      if (isDown(ctrl, event) || isDown(meta, event) || isDown(shift, event) || isDown(alt, event)) {
        apply(preventDefault, event, []);
      }
    };
    const onOther = (event) => apply(preventDefault, event, []);
    const onMessage = (event) => {
      const from = apply(sender, event, []);
      if (from !== owner && from !== window) apply(stopImmediatePropagation, event, []);
    };
    return () => {
      apply(addEventListener, window, ['click', onClick, true]);
      apply(addEventListener, window, ['auxclick', onOther, true]);
      apply(addEventListener, window, ['message', onMessage, true]);
    };
  }

  function show({ open, write, finish, guardView }, html, port) {
    const { postMessage } = port;
    port.onmessage = () => apply(postMessage, port, [null]);
    // This removes every listener that the document has.
    apply(open, document, []);
    guardView();
    apply(write, document, [html]);
    apply(finish, document, []);
  }

  if (window.trustedTypes === undefined) {
    tellReady({ cannot: 'trusted-types' });
    return;
  }
  const writers = close();
  const receive = (event) => {
    if (event.source !== owner || event.data?.method !== 'ui/notifications/sandbox-resource-ready') return;
    window.removeEventListener('message', receive);
    show(writers, event.data.params.html, event.ports[0]);
  };
  window.addEventListener('message', receive);
  // Not earlier: a document whose own text is still being read takes no other.
  window.addEventListener('load', () => tellReady({}), { once: true });
})();
