// A sentence for a while, above everything else: inside a dialog while one is open.

import { app, update } from "./app.js";
import { t } from "./words.js";

export function Message() {
  const { message } = app;
  return (
    <div class="messages" role="alert">
      {message ? (
        <div class={`message${message.good ? " good" : ""}`} id="message">
          <span>{message.text}</span>
          {message.act ? (
            <button type="button" onClick={message.act}>
              {message.label}
            </button>
          ) : null}
          <button type="button" aria-label={t.close} onClick={() => update({ message: null })}>
            ×
          </button>
        </div>
      ) : null}
    </div>
  );
}
