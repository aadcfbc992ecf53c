;;; aj.el --- Job templates: checked, explained, previewed, submitted -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (yaml-mode "0.0.15"))
;; Keywords: languages, tools

;;; Commentary:

;; A major mode for the templates of aj, served by `aj lsp' through eglot or
;; lsp-mode, and the commands that these do not have: previews, submission,
;; inheritance.
;;
;;     (require 'aj)
;;     (add-hook 'aj-template-mode-hook #'aj-ensure)
;;
;; README.md beside this file tells the rest.

;;; Code:

(require 'aj-family)
(require 'aj-preview)
(require 'aj-rename)
(require 'aj-submit)
(require 'aj-wire)
(require 'seq)
(require 'yaml-mode)

(declare-function eglot-ensure "eglot" ())
(declare-function lsp-deferred "lsp-mode" ())
(declare-function lsp-register-client "lsp-mode" (client))
(declare-function lsp-stdio-connection "lsp-mode" (command &optional test-command))
(declare-function make-lsp-client "lsp-mode" (&rest rest))
(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)

(defgroup aj nil
  "Job templates."
  :group 'languages
  :prefix "aj-")

(defcustom aj-client 'eglot
  "The client that `aj-ensure' starts."
  :type '(choice (const eglot) (const lsp-mode)))

;;;; Which files are templates

(defconst aj--homes '(".aj" ".azure_jobs")
  "Names of folders that hold templates.")

(defun aj--home (file)
  "The AJ_HOME of FILE; nil where there is none.
It is what the environment variable says, else the nearest folder."
  (let ((set (getenv "AJ_HOME")))
    (if (and set (not (string-empty-p set)))
        (expand-file-name set)
      (let ((above (locate-dominating-file
                    file
                    (lambda (folder)
                      (or (member (file-name-nondirectory (directory-file-name folder)) aj--homes)
                          (seq-some (lambda (name) (file-directory-p (expand-file-name name folder))) aj--homes))))))
        (when above
          (let ((folder (directory-file-name (expand-file-name above))))
            (if (member (file-name-nondirectory folder) aj--homes)
                folder
              (seq-find #'file-directory-p
                        (mapcar (lambda (name) (expand-file-name name folder)) aj--homes)))))))))

(defun aj--globs (home)
  "The globs `templates' in the aj.toml of HOME."
  (let ((file (expand-file-name "aj.toml" home)) found)
    (when (file-readable-p file)
      (with-temp-buffer
        (insert-file-contents file)
        (when (re-search-forward "^[ \t]*templates[ \t]*=[ \t]*\\[\\([^]]*\\)\\]" nil t)
          (let ((list (match-string 1)) (at 0))
            (while (string-match "\"\\([^\"]*\\)\"\\|'\\([^']*\\)'" list at)
              (setq at (match-end 0))
              (push (or (match-string 1 list) (match-string 2 list)) found))))))
    (nreverse found)))

(defun aj--fits (path glob)
  "Whether the steps of PATH fit those of GLOB.
A star stays in one folder, two stars are any number of folders."
  (cond ((null glob) (null path))
        ((equal (car glob) "**")
         (or (aj--fits path (cdr glob)) (and path (aj--fits (cdr path) glob))))
        (t (and path
                (string-match-p (wildcard-to-regexp (car glob)) (car path))
                (aj--fits (cdr path) (cdr glob))))))

(defun aj-template-p (&optional file)
  "Whether the current buffer, of FILE, is a template: what the server answers for."
  (let ((file (or file buffer-file-name)))
    (or (save-excursion
          (goto-char (point-min))
          (looking-at-p "#[ \t]*aj:[ \t]*template[ \t]*$"))
        (and file
             (string-match-p "\\.ya?ml\\'" file)
             (let ((home (aj--home file)))
               (and home
                    (or (string-prefix-p (file-name-as-directory home) file)
                        (let ((inside (file-relative-name file (file-name-directory home))))
                          (seq-some (lambda (glob) (aj--fits (split-string inside "/") (split-string glob "/")))
                                    (aj--globs home))))))
             t))))

(defvar aj-template-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-p") #'aj-preview)
    (define-key map (kbd "C-c C-v") #'aj-show-in-preview)
    (define-key map (kbd "C-c C-s") #'aj-submit)
    (define-key map (kbd "C-c C-b") #'aj-bases)
    (define-key map (kbd "C-c C-d") #'aj-dependents)
    map)
  "Keys in templates.")

;;;###autoload
(define-derived-mode aj-template-mode yaml-mode "aj"
  "YAML that is a template of aj."
  (add-hook 'after-change-functions #'aj--changed nil t))

;;;###autoload
(add-to-list 'magic-mode-alist '(aj-template-p . aj-template-mode))

;;;; The two clients

(defun aj--second-argument (action)
  "The second argument of ACTION, a command of the server; nil where there is none."
  (let ((arguments (aj--get action "arguments")))
    (and (> (length arguments) 1) (elt arguments 1))))

(put 'aj-template-mode 'eglot-language-id "aj-template")

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'aj-template-mode (lambda (&rest _) aj-command))))

(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(aj-template-mode . "aj-template"))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () aj-command))
    :major-modes '(aj-template-mode)
    :server-id 'aj
    :action-handlers (aj--table "aj.preview" (lambda (_) (aj-preview))
                                "aj.submit" (lambda (_) (aj-submit))
                                "aj.bases" (lambda (_) (aj-bases))
                                "aj.dependents" (lambda (action) (aj-dependents (aj--second-argument action)))
                                "aj.impact" (lambda (_) (aj-impact))))))

;;;###autoload
(defun aj-ensure ()
  "Have the language server serve the current buffer, or say why it cannot."
  (cond
   ((not (executable-find (car aj-command)))
    (display-warning
     'aj
     (format-message
      "no language server: `%s' is not on PATH.  Install it (pipx install ajkit), or set `aj-command' to where it is"
      (car aj-command))
     :error))
   ((eq aj-client 'lsp-mode)
    (require 'lsp-mode)
    (lsp-deferred))
   (t
    (require 'eglot)
    (eglot-ensure))))

(provide 'aj)
;;; aj.el ends here
