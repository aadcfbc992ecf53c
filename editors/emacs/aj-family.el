;;; aj-family.el --- Who extends whom among templates -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What a template extends, and what extends it, in buffers that lead there; what
;; templates come to, compared.

;;; Code:

(require 'aj-wire)
(require 'cl-lib)
(require 'seq)

(define-derived-mode aj-family-mode special-mode "aj family"
  "Who extends whom; RET on a name visits it.")

(defun aj--show-family (title lines)
  "Show LINES under TITLE.
Each is what stands before a name, the name, its document, a range, a note."
  (let ((buffer (get-buffer-create (format "*aj %s*" title))))
    (with-current-buffer buffer
      (aj-family-mode)
      (let ((inhibit-read-only t))
        (erase-buffer)
        (pcase-dolist (`(,lead ,name ,uri ,range ,note) lines)
          (insert lead)
          (if (aj--file uri)
              (insert-text-button name 'action (lambda (_) (aj--go uri range)) 'help-echo (aj--file uri))
            (insert name))
          (insert (if (string-empty-p note) "" (concat "  " note)) "\n")))
      (goto-char (point-min)))
    (pop-to-buffer buffer)))

(defun aj--tree (node lead mark)
  "The lines of NODE and of what it extends; LEAD and MARK stand before its name."
  (let* ((bases (append (aj--get node "bases") nil))
         (below (concat lead (pcase mark ("" "") ("└─ " "   ") (_ "│  ")))))
    (cons (list (concat lead mark) (aj--get node "name") (aj--get node "uri") nil
                (cond ((eq (aj--get node "missing") t) "not found")
                      ((eq (aj--get node "cycle") t) "extends itself")
                      ((eq (aj--get node "again") t) "as above")
                      (t (string-join (append (aj--get node "keys") nil) " "))))
          (cl-loop for (base . more) on bases
                   append (aj--tree base below (if more "├─ " "└─ "))))))

;;;###autoload
(defun aj-bases ()
  "Show what this template extends, as a tree in merge order."
  (interactive)
  (let ((template (aj--template)))
    (with-current-buffer (aj--source)
      (aj--run "aj.bases" (list :uri template)
               (lambda (answer)
                 (let ((root (aj--get answer "root")))
                   (aj--show-family (format "bases of %s" (aj--get root "name")) (aj--tree root "" ""))))))))

;;;###autoload
(defun aj-dependents (&optional keypath)
  "Show what extends this template, nearest first.
With KEYPATH, a text, tell where the value there counts, and lead to what
overrides it elsewhere."
  (interactive (list (and current-prefix-arg (read-string "Key path: "))))
  (let ((template (aj--template)))
    (with-current-buffer (aj--source)
      (aj--run "aj.dependents" (append (list :uri template) (and keypath (list :keypath keypath)))
               (lambda (answer)
                 (let ((found (append (aj--get answer "dependents") nil)))
                   (if (not found)
                       (message "aj: nothing extends this template")
                     (aj--show-family
                      (format "templates that extend %s" (file-name-base (aj--file template)))
                      (mapcar #'aj--dependent found)))))))))

(defun aj--dependent (each)
  "The line about EACH, a template that extends another."
  (let ((winner (aj--get each "winner"))
        (words (list (if (eq (aj--get each "leaf") t) "leaf" "base")
                     (if (eq (aj--get each "direct") t) "" "indirectly")
                     (or (aj--get each "standing") ""))))
    (list "" (aj--get each "name")
          (if winner (aj--get winner "uri") (aj--get each "uri"))
          (aj--get winner "range")
          (string-join (remove "" words) ", "))))

;;;; Comparing

(defun aj--show-text (title text nothing)
  "Show TEXT under TITLE; where it is empty, say NOTHING."
  (if (string-empty-p text)
      (message "aj: %s" nothing)
    (let ((buffer (get-buffer-create (format "*aj %s*" title))))
      (with-current-buffer buffer
        (special-mode)
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert text))
        (goto-char (point-min)))
      (display-buffer buffer))))

;;;###autoload
(defun aj-impact (&optional revision)
  "Show which templates come to something else by what is not saved yet.
With a prefix argument, by all changes since a git REVISION."
  (interactive (list (and current-prefix-arg (read-string "Since revision: " "HEAD"))))
  (let ((template (aj--template)))
    (with-current-buffer (aj--source)
      (aj--run "aj.impact" (append (list :uri template) (and revision (list :rev revision)))
               (lambda (answer)
                 (let ((said (aj--get answer "message")))
                   (aj--show-text "impact" (aj--get answer "text") said)))))))

;;;###autoload
(defun aj-diff (other)
  "Show what differs between what the template OTHER and this one come to.
Where OTHER is empty, compare with the last commit."
  (interactive "sCompare with (empty: the last commit): ")
  (let ((template (aj--template)))
    (with-current-buffer (aj--source)
      (aj--run "aj.diff" (append (list :uri template) (and (not (string-empty-p other)) (list :other other)))
               (lambda (answer)
                 (let ((problem (seq-first (append (aj--get answer "problems") nil))))
                   (aj--show-text "differences" (aj--get answer "text")
                                  (if problem (aj--get problem "message") "nothing differs"))))))))

(provide 'aj-family)
;;; aj-family.el ends here
