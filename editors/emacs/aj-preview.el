;;; aj-preview.el --- Live previews of a template -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Previews are buffers that follow what is typed in any template, with ways from
;; their lines to the lines that wrote them, and back.

;;; Code:

(require 'aj-request)
(require 'aj-wire)
(require 'js)
(require 'pulse)
(require 'yaml-mode)

(defcustom aj-preview-delay 0.3
  "Seconds of rest after which previews follow what was typed."
  :type 'number
  :group 'aj)

(defvar aj--timer nil
  "The timer that refreshes previews.")

(defvar aj-preview-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'aj-go-to-source)
    (define-key map (kbd "q") #'quit-window)
    (define-key map (kbd "g") #'aj-refresh-preview)
    map)
  "Keys in previews.")

(define-minor-mode aj-preview-mode
  "A preview of a template: RET goes to the line that wrote what is at point."
  :lighter " preview"
  (setq buffer-read-only t))

(defun aj--preview (kind ask)
  "Show the preview KIND of the template; ASK for its options."
  (let* ((template (aj--template))
         (source (aj--source))
         (line (aj--line template ask)))
    (with-current-buffer source
      (aj--run "aj.preview"
               (append (list :uri template :kind kind)
                       (and (or ask (not (string-empty-p line))) (list :request (aj--request line))))
               (lambda (answer) (aj--show-preview kind template source line answer))))))

(defun aj--show-preview (kind template source line answer)
  "Show ANSWER, the preview KIND of TEMPLATE in SOURCE for the options LINE."
  (let* ((name (file-name-base (aj--file template)))
         (title (pcase kind ("spec" "JobSpec") ("merged" "merged config") (_ "amlt file")))
         (buffer (get-buffer-create (format "*aj %s: %s*" title name))))
    (with-current-buffer buffer
      (unless aj--shown
        (if (equal kind "spec") (js-mode) (yaml-mode))
        (aj-preview-mode))
      (setq aj--shown (list :kind kind :template template :source source :uri (aj--get answer "uri")))
      (setq header-line-format (format " %s of %s %s   RET source, q close" title name line)))
    (let ((is-new (zerop (buffer-size buffer))))
      (aj--put buffer answer)
      (when is-new (with-current-buffer buffer (goto-char (point-min)))))
    (display-buffer buffer '((display-buffer-reuse-window display-buffer-in-direction) (direction . right)))))

(defun aj--put (buffer answer)
  "Put the text of ANSWER into the preview BUFFER; point stays where it is."
  (with-current-buffer buffer
    (let ((fresh (generate-new-buffer " *aj text*" t))
          (inhibit-read-only t))
      (with-current-buffer fresh (insert (aj--get answer "text")))
      (unwind-protect
          (replace-buffer-contents fresh 1)
        (kill-buffer fresh))
      (set-buffer-modified-p nil))))

(defun aj--previews ()
  "The previews that are in sight."
  (seq-filter (lambda (buffer) (and (buffer-local-value 'aj--shown buffer) (get-buffer-window buffer t)))
              (buffer-list)))

(defun aj--changed (&rest _)
  "A template is being typed: previews follow after a rest."
  (when aj--timer (cancel-timer aj--timer))
  (setq aj--timer (run-with-timer aj-preview-delay nil #'aj--follow (current-buffer))))

(defun aj--follow (edited)
  "Refresh the previews in sight after a change of the buffer EDITED."
  (setq aj--timer nil)
  (when (buffer-live-p edited)
    (dolist (preview (aj--previews))
      (aj--refresh preview edited))))

(defun aj--refresh (preview asking)
  "Take the text of PREVIEW from the server, which has seen what is in ASKING."
  (let ((shown (buffer-local-value 'aj--shown preview)))
    (with-current-buffer asking
      (aj--run "aj.preview"
               (list :uri (plist-get shown :template) :kind (plist-get shown :kind))
               (lambda (answer)
                 (when (buffer-live-p preview) (aj--put preview answer)))
               #'ignore))))

(defun aj-refresh-preview ()
  "Draw this preview anew."
  (interactive)
  (aj--refresh (current-buffer) (aj--source)))

;;;###autoload
(defun aj-preview (&optional ask)
  "Show the job that this template makes, live beside it.
With a prefix argument, ASK for the options and the command, as for `aj run'."
  (interactive "P")
  (aj--preview "spec" ask))

;;;###autoload
(defun aj-merged (&optional ask)
  "Show the merged config of this template, live beside it.
With a prefix argument, ASK for options as for `aj run'."
  (interactive "P")
  (aj--preview "merged" ask))

;;;###autoload
(defun aj-amlt (&optional ask)
  "Show this template as amlt reads it, live beside it.
With a prefix argument, ASK for options as for `aj run'."
  (interactive "P")
  (aj--preview "amlt" ask))

(defun aj-go-to-source ()
  "Go to the line that wrote what this preview shows at point."
  (interactive)
  (let ((uri (plist-get aj--shown :uri))
        (position (aj--position)))
    (with-current-buffer (aj--source)
      (aj--ask "textDocument/definition"
               (list :textDocument (list :uri uri) :position position)
               (lambda (places)
                 (if (seq-empty-p places)
                     (message "aj: nothing wrote this: it is a default, or from the command line")
                   (let ((place (elt places 0)))
                     (aj--go (or (aj--get place "uri") (aj--get place "targetUri"))
                             (or (aj--get place "range") (aj--get place "targetSelectionRange"))))))))))

(defun aj-show-in-preview ()
  "Show in the previews in sight where the key at point ended up."
  (interactive)
  (let ((position (aj--position)))
    (dolist (preview (or (aj--previews) (user-error "There is no preview in sight")))
      (aj--run "aj.revealInPreview"
               (list :uri (aj--template) :position position
                     :preview (plist-get (buffer-local-value 'aj--shown preview) :uri))
               (lambda (answer)
                 (let ((line (aj--get answer "range" "start" "line")))
                   (if (not line)
                       (message "aj: the preview does not show this")
                     (with-selected-window (get-buffer-window preview t)
                       (goto-char (point-min))
                       (forward-line line)
                       (pulse-momentary-highlight-one-line (point))))))))))

(provide 'aj-preview)
;;; aj-preview.el ends here
