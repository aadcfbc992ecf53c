;;; aj-wire.el --- The language server of aj, through eglot or lsp-mode -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Questions to the server that serves a buffer, whichever client started it, and
;; its documents and positions as Emacs has them.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'url-util)
(require 'xref)

(declare-function eglot--capabilities "eglot" (server))
(declare-function eglot--managed-buffers "eglot" (server))
(declare-function eglot--signal-textDocument/didChange "eglot" ())
(declare-function eglot-current-server "eglot" ())
(declare-function jsonrpc-notify "jsonrpc" (connection method params))
(declare-function lsp-notify "lsp-mode" (method params))
(declare-function jsonrpc-async-request "jsonrpc" (connection method params &rest rest))
(declare-function lsp-request-async "lsp-mode" (method params callback &rest rest))

(defcustom aj-command '("aj" "lsp")
  "The command that starts the language server, as a list of words."
  :type '(repeat string)
  :group 'aj)

(defun aj--table (&rest pairs)
  "A hash table of text to values, from PAIRS."
  (let ((table (make-hash-table :test #'equal)))
    (cl-loop for (key value) on pairs by #'cddr do (puthash key value table))
    table))

(defun aj--get (object &rest keys)
  "The value in OBJECT below KEYS, texts.
Objects are property lists or hash tables, as clients make them."
  (dolist (key keys object)
    (setq object (cond ((hash-table-p object) (gethash key object))
                       ((listp object) (plist-get object (intern (concat ":" key))))))))

(defun aj--eglot ()
  "The server of eglot for this buffer."
  (and (fboundp 'eglot-current-server) (eglot-current-server)))

(defvar aj--encoding "utf-16"
  "How columns are counted, as client and server have agreed.
One client serves all templates, so it is the same for all of them.")

(defun aj--agree ()
  "Find out how the server of this buffer counts columns."
  (cond ((aj--eglot)
         (setq aj--encoding (or (aj--get (eglot--capabilities (aj--eglot)) "positionEncoding") "utf-16")))
        ((bound-and-true-p lsp-mode) (setq aj--encoding "utf-16"))))

(defun aj--columns (text)
  "How many columns TEXT has."
  (pcase aj--encoding
    ("utf-8" (length (encode-coding-string text 'utf-8)))
    ("utf-32" (length text))
    (_ (/ (length (encode-coding-string text 'utf-16le)) 2))))

(defun aj--send-edits ()
  "Have eglot send at once what was typed in whatever buffer.
It waits for a pause, and a question about a template would be answered
without the edit of its base."
  (dolist (buffer (eglot--managed-buffers (aj--eglot)))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (eglot--signal-textDocument/didChange)))))

(defun aj--ask (method params done &optional failed)
  "Send METHOD with PARAMS to the server, and call DONE with its answer, here.
Where it answers an error, call FAILED with that, or tell its message."
  (aj--agree)
  (let* ((buffer (current-buffer))
         (here (lambda (function)
                 (lambda (answer)
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer (funcall function answer))))))
         (failed (or failed (lambda (problem) (message "aj: %s" (aj--get problem "message"))))))
    (cond
     ((aj--eglot)
      (aj--send-edits)
      (jsonrpc-async-request (aj--eglot) (intern (concat ":" method)) params
                             :deferred 'aj
                             :timeout 60
                             :success-fn (funcall here done)
                             :error-fn (funcall here failed)))
     ((bound-and-true-p lsp-mode)
      (lsp-request-async method params (funcall here done) :mode 'detached :error-handler (funcall here failed)))
     (t (user-error "No language server serves this buffer: M-x aj-ensure")))))

(defun aj--tell (method params)
  "Send the notification METHOD with PARAMS to the server of this buffer."
  (cond ((aj--eglot) (jsonrpc-notify (aj--eglot) (intern (concat ":" method)) params))
        ((bound-and-true-p lsp-mode) (lsp-notify method params))))

(defun aj--run (command arguments done &optional failed)
  "Have the server carry out COMMAND with ARGUMENTS, a property list.
DONE and FAILED are as for `aj--ask'."
  (aj--ask "workspace/executeCommand"
           (list :command command :arguments (vector (or arguments (make-hash-table))))
           done failed))

(defun aj--uri (file)
  "The URI of FILE."
  (concat "file://" (url-hexify-string (expand-file-name file) url-path-allowed-chars)))

(defun aj--file (uri)
  "The file that URI names; nil where it names none."
  (and (stringp uri)
       (string-prefix-p "file://" uri)
       (decode-coding-string (url-unhex-string (substring uri 7)) 'utf-8)))

(defun aj--position ()
  "The position of point."
  (aj--agree)
  (list :line (1- (line-number-at-pos nil t))
        :character (aj--columns (buffer-substring-no-properties (line-beginning-position) (point)))))

(defun aj--point (position)
  "Where POSITION is in the current buffer."
  (save-excursion
    (goto-char (point-min))
    (forward-line (aj--get position "line"))
    (let ((left (aj--get position "character")))
      (while (and (> left 0) (not (eolp)))
        (setq left (- left (aj--columns (string (following-char)))))
        (forward-char)))
    (point)))

(defun aj--go (uri range)
  "Show the start of RANGE in the document URI, in another window."
  (let ((file (aj--file uri)))
    (when file
      (xref-push-marker-stack)
      (find-file-other-window file)
      (goto-char (if range (aj--point (aj--get range "start")) (point-min)))
      (current-buffer))))

(defvar-local aj--shown nil
  "In a preview: its kind, its template and the buffer of that, and its own URI.")

(defun aj--template ()
  "The URI of the template that the current buffer is about."
  (cond (aj--shown (plist-get aj--shown :template))
        ((not (derived-mode-p 'aj-template-mode)) (user-error "This buffer is no template"))
        (buffer-file-name (aj--uri buffer-file-name))
        (t (user-error "This buffer has no file yet: save it first"))))

(defun aj--source ()
  "The buffer of the template that the current buffer is about."
  (if aj--shown (plist-get aj--shown :source) (current-buffer)))

(provide 'aj-wire)
;;; aj-wire.el ends here
